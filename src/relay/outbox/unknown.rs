//! Sends whose outcome is unknown: looked up at Twilio before they are repeated.
//!
//! Twilio has no idempotency key. A send that timed out, broke off or got a 5xx may have been
//! taken, so it is looked for in the message list by recipient, text and time; a status callback
//! with our outbox id settles it sooner. Until then its recipient's queue waits.

use std::collections::HashMap;
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::reaction::{Pauses, Trouble};
use super::{Outbox, Settled};
use crate::domain::outbound::{Delivery, Outbound};
use crate::store::{Settle, StoreError};
use crate::twilio::{Client, Content, Outgoing};

/// How long an outcome is looked for while Twilio can't be asked.
const GIVE_UP_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// What is being looked for.
#[derive(Default)]
pub(super) struct Unknown(HashMap<Uuid, Search>);

#[derive(Clone)]
struct Search {
    outbound: Outbound,
    trouble: Trouble,
    /// Look-ups that found nothing.
    missed: usize,
    /// Look-ups that failed in a row.
    failed: u32,
    next: Instant,
    running: bool,
}

impl Unknown {
    /// A send ended without an answer.
    pub fn begin(&mut self, outbound: Outbound, trouble: Trouble, pauses: &Pauses) {
        let next = Instant::now() + pauses.lookups.first().copied().unwrap_or_default();
        let search = Search {
            outbound,
            trouble,
            missed: 0,
            failed: 0,
            next,
            running: false,
        };
        self.0.insert(search.outbound.id, search);
    }

    /// Is it being looked for?
    pub fn contains(&self, id: Uuid) -> bool {
        self.0.contains_key(&id)
    }

    /// Its outcome is known.
    pub fn end(&mut self, id: Uuid) -> bool {
        self.0.remove(&id).is_some()
    }

    /// What is to be looked up now; each is handed out once.
    pub fn take_due(&mut self, now: Instant) -> Vec<Uuid> {
        let due = self
            .0
            .iter_mut()
            .filter(|(_, search)| !search.running && search.next <= now);
        due.map(|(id, search)| {
            search.running = true;
            *id
        })
        .collect()
    }

    /// When to look next.
    pub fn next_due(&self) -> Option<Instant> {
        self.0
            .values()
            .filter(|search| !search.running)
            .map(|search| search.next)
            .min()
    }
}

impl Outbox {
    /// One look-up.
    pub(super) async fn look_up(&self, id: Uuid, client: &Client) -> Result<Settled, StoreError> {
        let Some(search) = self.unknown().0.get(&id).cloned() else {
            return Ok(Settled::Elsewhere);
        };
        let message = &search.outbound.message;
        let by_template = message.template.as_ref().filter(|_| search.outbound.templated);
        let outgoing = Outgoing {
            to: message.to.as_str(),
            from: &message.from,
            body: &message.body,
            content: by_template.map(|template| Content {
                sid: &template.content_sid,
                variables: "",
            }),
            media_url: None,
            status_callback: None,
        };
        // The row was last changed when the attempt began.
        let found = client.find_sent(outgoing, search.outbound.updated_at).await;
        let _one_at_a_time = self.settling.lock().await;
        if !self.unknown().contains(id) || self.store.outbound(id).await?.is_some() {
            // A receipt was faster.
            self.unknown().end(id);
            return Ok(Settled::Elsewhere);
        }
        let candidates = match found {
            Ok(candidates) => candidates,
            Err(error) => return self.look_later(&search, &error.in_words()).await,
        };
        // Newest first: the last one left is the oldest that no other message of ours has.
        for listed in candidates.iter().rev().filter(|m| m.delivery() != Delivery::Failed) {
            if self.store.outbound_by_sid(&listed.sid).await?.is_none() {
                self.unknown().end(id);
                tracing::info!(outbox = %id, sid = %listed.sid, "unknown outcome: Twilio has the message");
                return self.accepted(&search.outbound, listed.sid.clone()).await;
            }
        }
        let missed = search.missed + 1;
        if let Some(pause) = self.pauses.lookups.get(missed) {
            if let Some(search) = self.unknown().0.get_mut(&id) {
                *search = Search {
                    missed,
                    failed: 0,
                    next: Instant::now() + *pause,
                    running: false,
                    ..search.clone()
                };
            }
            return Ok(Settled::Later);
        }
        self.unknown().end(id);
        tracing::warn!(outbox = %id, "unknown outcome: Twilio does not list the message, it is sent again");
        self.react(&search.outbound, &search.trouble).await
    }

    async fn look_later(&self, search: &Search, why: &str) -> Result<Settled, StoreError> {
        let id = search.outbound.id;
        if Timestamp::now().duration_since(search.outbound.created_at) > GIVE_UP_AFTER {
            self.unknown().end(id);
            let settle = Settle::Failed {
                code: search.trouble.code.clone(),
                reason: format!("whether it was sent is unknown, and Twilio could not be asked: {why}"),
            };
            return self.settle(id, settle).await;
        }
        if let Some(search) = self.unknown().0.get_mut(&id) {
            search.failed += 1;
            search.next = Instant::now() + self.pauses.after(search.failed);
            search.running = false;
        }
        Ok(Settled::Later)
    }
}
