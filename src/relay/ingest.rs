//! A message becomes durable: the one door to the inbox for the webhook and the poller.
//!
//! It finds the conversation, says how long to wait for more, and hands the message to the
//! store, which deduplicates by MessageSid in the same write.

use std::sync::Arc;
use std::time::Duration;

use super::late::Late;
use super::people;
use crate::config::Relay;
use crate::domain::message::{Address, Inbound, Origin};
use crate::engine;
use crate::store::{Ingested, Store, StoreError};
use crate::telemetry::Metrics;
use crate::world::WorldHandle;

/// The door to the inbox.
pub struct Ingest {
    store: Store,
    world: WorldHandle,
    metrics: Arc<Metrics>,
    own_senders: Vec<String>,
    hold_unfinished: Duration,
    hold_media: Duration,
    late: Late,
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// It is in the inbox.
    New,
    /// It was already known.
    Duplicate,
    /// A poorer copy was completed.
    Enriched,
    /// It came from one of our own numbers: taken and dropped, or two bots would answer each other.
    Own,
}

impl Accepted {
    /// The word for counters.
    pub fn label(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Duplicate => "duplicate",
            Self::Enriched => "enriched",
            Self::Own => "own",
        }
    }
}

impl Ingest {
    /// A door for messages to `own_senders`.
    pub fn new(
        store: Store,
        world: WorldHandle,
        metrics: Arc<Metrics>,
        relay: &Relay,
        own_senders: Vec<String>,
    ) -> Self {
        Self {
            store,
            world,
            metrics,
            own_senders,
            hold_unfinished: Duration::from_millis(relay.hold_unfinished_ms),
            hold_media: Duration::from_millis(relay.hold_media_ms),
            late: Late::new(relay),
        }
    }

    /// Returns once the message is on disk. The only wait is for the store's answer, and the
    /// store finishes the write even when this future is dropped.
    pub async fn accept(&self, inbound: Inbound) -> Result<Accepted, StoreError> {
        if self.own_senders.iter().any(|own| own == inbound.from.as_str()) {
            return Ok(Accepted::Own);
        }
        let hold = self.hold(&inbound);
        let addresses: Vec<_> = std::iter::once(&inbound.from).chain(&inbound.external_id).collect();
        let person = people::person(&self.store, &self.world, &addresses).await?;
        let conversation = people::conversation(person.as_ref(), &inbound.from);
        let username = inbound.external_id.clone();
        let accepted = match self.store.ingest(inbound, &conversation, hold).await? {
            Ingested::New => Accepted::New,
            Ingested::Duplicate => Accepted::Duplicate,
            Ingested::Enriched => Accepted::Enriched,
        };
        if accepted == Accepted::New {
            self.metrics.message("inbound");
        }
        if let (Some(person), Some(username)) = (person, username) {
            self.learn(&username, person.id.as_str()).await;
        }
        Ok(accepted)
    }

    /// Remembers whose username this is, so that a message which shows no number finds its person.
    async fn learn(&self, username: &Address, person: &str) {
        let known = self.store.person_of(username).await;
        if matches!(&known, Ok(Some(known)) if known == person) {
            return;
        }
        // The message is safe already; the next one brings the same pair.
        if let Err(e) = self.store.bind(username, Some(person)).await {
            tracing::warn!("a username was not bound to its person: {e}");
        }
    }

    /// None for a complete command, a little after unfinished text, longer after a file or a pin.
    /// A polled message has waited long enough.
    fn hold(&self, inbound: &Inbound) -> Duration {
        let has_more = inbound.num_media > 0 || inbound.pin.is_some();
        match inbound.origin {
            // Late ones come in a row, and one apology shall list them all.
            Origin::Poll if self.late.is_late(inbound) => self.hold_media,
            Origin::Poll => Duration::ZERO,
            Origin::Webhook if has_more => self.hold_media,
            Origin::Webhook if inbound.command.is_some() || engine::looks_complete(&inbound.body) => Duration::ZERO,
            Origin::Webhook => self.hold_unfinished,
        }
    }
}
