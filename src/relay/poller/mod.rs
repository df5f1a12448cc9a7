//! The poller: messages that no webhook brought, found in Twilio's list.
//!
//! `step()` reads the newest messages to our numbers until a page is wholly known, now and then
//! everything of the last two days, and hands what is new to the same door as the webhook, in
//! order. With a public URL it leaves the youngest to the webhook, whose copy is richer. Twilio
//! repeats a failed webhook only when told to, so this is what makes "nothing lost" true; without
//! a public URL it is the only way in. `states` does the same for what became of our messages.

mod rhythm;
mod states;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;

use self::rhythm::Rhythm;
use super::ingest::{Accepted, Ingest};
use super::outbox::Outbox;
use crate::config::{Config, Relay};
use crate::domain::message::{Address, MediaRef, MessageSid};
use crate::store::{Store, StoreError};
use crate::telemetry::Metrics;
use crate::twilio::{Client, Listed, TwilioError};

/// Messages of a page in the usual round.
const PAGE_SIZE: u16 = 50;
/// Messages of a page in a sweep.
const SWEEP_PAGE_SIZE: u16 = 500;
/// Pages read of one number in one round.
const PAGES_MAX: usize = 100;
/// How far back the usual round looks; the list is newest first, so it ends sooner.
const RECENT: SignedDuration = SignedDuration::from_hours(1);
/// A message that was sent within this span and is known tells that webhooks arrive.
const FRESH: SignedDuration = SignedDuration::from_mins(10);
/// Twilio's times are whole seconds, and its clock is not ours.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(5);
/// Times a message's list of files is asked for before it is taken without.
const MEDIA_TRIES: u32 = 3;
/// Where the first start is kept: what was sent before it is not ours to answer.
const CURSOR: &str = "poller.since";

/// The poller.
pub struct Poller {
    store: Store,
    client: Client,
    ingest: Arc<Ingest>,
    outbox: Arc<Outbox>,
    metrics: Arc<Metrics>,
    senders: Vec<String>,
    relay: Relay,
    /// Messages younger than this are the webhook's; zero without a public URL.
    min_age: Duration,
    rhythm: Rhythm,
    /// What the last round listed and the inbox had by its end, of late.
    seen: Option<HashSet<MessageSid>>,
    /// Messages whose list of files could not be had, and how often.
    without_media: HashMap<MessageSid, u32>,
    states_at: Option<Instant>,
}

/// Why a round ended early.
#[derive(Debug, thiserror::Error)]
pub enum PollError {
    /// Twilio could not be read.
    #[error("the message list could not be read")]
    Twilio(#[from] TwilioError),
    /// A message could not be stored.
    #[error("what was found could not be stored")]
    Store(#[from] StoreError),
}

/// What a round found.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Polled {
    /// Messages that nobody had brought.
    pub taken: u64,
    /// A message has come by webhook since the round before.
    pub by_webhook: bool,
    /// How long until the oldest of those left to the webhook is old enough.
    pub young: Option<Duration>,
}

impl Poller {
    /// A poller that brings messages to `ingest` and states to `outbox`.
    pub fn new(
        store: Store,
        client: Client,
        ingest: Arc<Ingest>,
        outbox: Arc<Outbox>,
        config: &Config,
        metrics: Arc<Metrics>,
    ) -> Self {
        let public = !config.server.public_url.is_empty();
        let min_age = Duration::from_secs(config.relay.poll_min_age_secs);
        Self {
            store,
            client,
            ingest,
            outbox,
            metrics,
            senders: config.twilio.senders(),
            relay: config.relay.clone(),
            min_age: if public { min_age } else { Duration::ZERO },
            rhythm: Rhythm::new(&config.relay, Instant::now()),
            seen: None,
            without_media: HashMap::new(),
            states_at: None,
        }
    }

    /// Works until `shutdown`.
    pub async fn run(mut self, shutdown: CancellationToken) {
        loop {
            // What is being stored when the round is dropped is stored all the same.
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = self.step() => {}
            }
            let pause = self.rhythm.pause(Instant::now());
            // Several relays of one account must not ask in step.
            let pause = pause.mul_f64(0.95 + fastrand::f64() / 10.0);
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// One round, a sweep when one is due.
    pub async fn step(&mut self) -> Result<Polled, PollError> {
        let sweep = self.rhythm.sweep_is_due(Instant::now());
        let result = self.round(sweep).await;
        match &result {
            Ok(polled) => {
                self.metrics.poll("ok");
                self.metrics.polled(polled.taken);
                let lost = polled.taken > 0 && !self.min_age.is_zero();
                if lost {
                    tracing::warn!(
                        messages = polled.taken,
                        "messages were found that no webhook had brought"
                    );
                }
                self.rhythm
                    .polled(sweep, polled.by_webhook, lost, polled.young, Instant::now());
            }
            Err(error) => {
                let limited = matches!(error, PollError::Twilio(e) if e.status() == Some(429));
                self.metrics.poll(if limited { "limited" } else { "failed" });
                tracing::warn!(error = error as &dyn std::error::Error, "a poll failed");
                let retry_after = match error {
                    PollError::Twilio(error) => error.retry_after(),
                    PollError::Store(_) => None,
                };
                self.rhythm.failed(retry_after);
            }
        }
        result
    }

    async fn round(&mut self, sweep: bool) -> Result<Polled, PollError> {
        let now = Timestamp::now();
        let cursor = self.cursor(now).await?;
        let back = match sweep {
            true => SignedDuration::from_hours(24 * i64::try_from(self.relay.sweep_days).unwrap_or(2)),
            false => RECENT,
        };
        let since = now.checked_sub(back).unwrap_or(cursor).max(cursor);
        let mut polled = Polled::default();
        let mut found = Vec::new();
        let mut had = HashSet::new();
        for sender in self.senders.clone() {
            let listing = Listing {
                sender: &sender,
                since,
                cursor,
                sweep,
            };
            self.collect(&listing, &mut found, &mut had).await?;
        }
        if let Some(seen) = &self.seen {
            polled.by_webhook = had.iter().any(|sid| !seen.contains(sid));
        }
        found.sort_by(|a: &Listed, b| (a.at(), &a.sid).cmp(&(b.at(), &b.sid)));
        self.without_media
            .retain(|sid, _| found.iter().any(|listed| listed.sid == *sid));
        self.take(found, now, &mut polled, &mut had).await?;
        self.seen = Some(had);
        if self.min_age.is_zero() || sweep {
            self.states(sweep).await?;
        }
        Ok(polled)
    }

    /// Lists what one of our numbers has received: what is not known yet, and what is.
    async fn collect(
        &self,
        listing: &Listing<'_>,
        found: &mut Vec<Listed>,
        had: &mut HashSet<MessageSid>,
    ) -> Result<(), PollError> {
        let size = if listing.sweep { SWEEP_PAGE_SIZE } else { PAGE_SIZE };
        let mut page = self.client.list_inbound(listing.sender, listing.since, size).await?;
        let mut pages = HashSet::new();
        let fresh = Timestamp::now().checked_sub(FRESH).unwrap_or(listing.cursor);
        loop {
            if page.unread > 0 {
                tracing::warn!(rows = page.unread, "rows of the message list could not be read");
            }
            let rows = page.messages.len();
            let ours: Vec<Listed> = page
                .messages
                .into_iter()
                .filter(|m| self.concerns(m, listing))
                .collect();
            let sids: Vec<MessageSid> = ours.iter().map(|m| m.sid.clone()).collect();
            let known = self.store.known(&sids).await?;
            let all_known = known.iter().all(|known| *known);
            // A page of nothing but what is too old or not ours ends the usual round as well.
            let done = all_known && (!listing.sweep || ours.is_empty()) && rows > 0;
            for (listed, known) in ours.into_iter().zip(known) {
                if known && listed.at().is_some_and(|at| at >= fresh) {
                    had.insert(listed.sid);
                } else if known {
                    // Too old to tell whether webhooks arrive now.
                } else if !found.iter().any(|other| other.sid == listed.sid) {
                    found.push(listed);
                }
            }
            let Some(next) = page.next.filter(|_| !done) else {
                return Ok(());
            };
            if pages.len() >= PAGES_MAX || !pages.insert(next.clone()) {
                tracing::warn!(
                    pages = pages.len(),
                    "the message list does not end, the rest is left for later"
                );
                return Ok(());
            }
            page = self.client.next_page(&next).await?;
        }
    }

    /// Is the row a message of a person to this number, since our first start?
    fn concerns(&self, listed: &Listed, listing: &Listing<'_>) -> bool {
        let from = listed.from.as_deref().unwrap_or_default();
        listed.is_inbound()
            && listed.to.as_deref() == Some(listing.sender)
            && listed.at().is_none_or(|at| at >= listing.cursor)
            && !self.senders.iter().any(|own| own == from)
            && Address::parse(from).is_ok()
    }

    /// Brings what was found to the inbox, in order.
    async fn take(
        &mut self,
        found: Vec<Listed>,
        now: Timestamp,
        polled: &mut Polled,
        had: &mut HashSet<MessageSid>,
    ) -> Result<(), PollError> {
        // People of whom an earlier message waits: a later one must not overtake it.
        let mut held: HashSet<String> = HashSet::new();
        for listed in found {
            let from = listed.from.clone().unwrap_or_default();
            if held.contains(&from) {
                continue;
            }
            let age = listed
                .at()
                .map_or(self.min_age, |at| now.duration_since(at).try_into().unwrap_or_default());
            if age < self.min_age {
                let rest = self.min_age.saturating_sub(age);
                polled.young = Some(polled.young.map_or(rest, |other| other.min(rest)));
                held.insert(from);
                continue;
            }
            let sid = listed.sid.clone();
            let Some(media) = self.media_of(&listed).await else {
                held.insert(from);
                continue;
            };
            let Some(message) = listed.into_inbound(media, Timestamp::now()) else {
                continue;
            };
            if self.ingest.accept(message).await? == Accepted::New {
                polled.taken += 1;
            }
            self.without_media.remove(&sid);
            had.insert(sid);
        }
        Ok(())
    }

    /// The files of a message; None to try again later.
    async fn media_of(&mut self, listed: &Listed) -> Option<Vec<MediaRef>> {
        if listed.num_media() == 0 {
            return Some(Vec::new());
        }
        match self.client.media_list(&listed.sid).await {
            Ok(files) => Some(files),
            Err(error) => {
                let tries = self.without_media.entry(listed.sid.clone()).or_default();
                *tries += 1;
                tracing::warn!(sid = %listed.sid, tries, error = &error as &dyn std::error::Error, "the list of files could not be read");
                // Its words are worth an answer even if its files can't be had.
                (*tries >= MEDIA_TRIES).then(Vec::new)
            }
        }
    }

    /// Since when messages are ours to answer: the first start.
    async fn cursor(&self, now: Timestamp) -> Result<Timestamp, StoreError> {
        if let Some(kept) = self.store.meta_get(CURSOR).await?.and_then(|text| text.parse().ok()) {
            return Ok(kept);
        }
        let now = now.checked_sub(CLOCK_SKEW).unwrap_or(now);
        self.store.meta_put(CURSOR, &now.to_string()).await?;
        Ok(now)
    }
}

/// What is listed.
struct Listing<'a> {
    sender: &'a str,
    since: Timestamp,
    cursor: Timestamp,
    sweep: bool,
}
