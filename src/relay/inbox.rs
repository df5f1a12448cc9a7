//! The inbox worker: one turn is leased, answered, and acknowledged with its replies in one
//! transaction.
//!
//! `turn()` is the step, `run()` the loop that starts steps side by side. Order within a
//! conversation is the store's: it leases one turn of a conversation at a time. Whatever
//! happens, an accepted message has one reply: an answer, an apology, or the last words that
//! go out with the fifth failure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::answering::Answering;
use super::pace::{Pace, Verdict};
use crate::config::Relay;
use crate::domain::message::Inbound;
use crate::domain::outbound::{NewOutbound, Purpose};
use crate::format::phrases;
use crate::store::{Conversation, LeasedTurn, Leasing, Retried, Store, StoreError};
use crate::telemetry::Metrics;

/// Pause after the store failed, so that a full disk is not hammered.
const STORE_PAUSE: Duration = Duration::from_secs(1);
/// How often it is tried to take back an attempt that the store had spoilt; one is tried each pause.
const FORGIVE_TRIES: u32 = 600;
/// First pause before a failed turn is tried again; doubled each time.
const RETRY_FIRST: Duration = Duration::from_millis(500);
/// The longest such pause.
const RETRY_MAX: Duration = Duration::from_secs(30);
/// What is left of a lease when its turn is given up, for the write that says so.
const LEASE_MARGIN: Duration = Duration::from_secs(3);

/// The worker.
pub struct Inbox {
    store: Store,
    answering: Answering,
    pace: Pace,
    metrics: Arc<Metrics>,
    parallel_turns: usize,
    lease: Duration,
    attempts_max: u32,
}

impl Inbox {
    /// A worker over `store` that answers by `answering`.
    pub fn new(store: Store, answering: Answering, metrics: Arc<Metrics>, relay: &Relay) -> Self {
        Self {
            store,
            answering,
            pace: Pace::new(relay.sender_messages_max),
            metrics,
            parallel_turns: relay.parallel_turns,
            lease: Duration::from_secs(relay.lease_secs),
            attempts_max: relay.attempts_max,
        }
    }

    /// Works until `shutdown`; then lets the turns under way end.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        let mut turns = JoinSet::new();
        while !shutdown.is_cancelled() {
            while turns.len() >= self.parallel_turns {
                turns.join_next().await;
            }
            // Listening before leasing, so that a message in between is not slept over.
            let woken = self.store.inbox_wake().notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            let next_due = match self.store.lease(self.lease).await {
                Ok(Leasing::Turn(leased)) => {
                    let inbox = Arc::clone(&self);
                    turns.spawn(async move { inbox.turn(*leased).await });
                    continue;
                }
                Ok(Leasing::Idle { next_due }) => next_due,
                Err(StoreError::Closed) => break,
                Err(e) => {
                    tracing::error!("no turn could be leased: {e}");
                    Some(Instant::now() + STORE_PAUSE)
                }
            };
            let due = async {
                match next_due {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = woken => {}
                () = due => {}
                Some(_) = turns.join_next() => {}
            }
        }
        while turns.join_next().await.is_some() {}
    }

    /// One leased turn, to its end.
    pub async fn turn(&self, leased: LeasedTurn) {
        let started = Instant::now();
        let conversation = leased.conversation.id.clone();
        let outcome = match self.outcome(leased).await {
            Ok(outcome) => outcome,
            // Someone else has the turn by now and will end it; nothing of ours was written.
            Err(StoreError::LeaseLost) if started.elapsed() >= self.lease => "lease_lost",
            // Before its time a lease ends only with a failure of the store.
            Err(e @ (StoreError::LeaseLost | StoreError::Io(_))) => {
                tracing::error!("a turn's end could not be written, it comes back when the store can: {e}");
                self.forgive(&conversation).await;
                "not_stored"
            }
            Err(e) => {
                tracing::error!("a turn's end could not be written, it comes back when its lease ends: {e}");
                "not_stored"
            }
        };
        self.metrics.turn(outcome, started.elapsed());
    }

    /// Takes an attempt back that the store had spoilt. It waits for the store, and keeps its place
    /// among the turns while it does: what could not be written would not be written next time either.
    async fn forgive(&self, conversation: &str) {
        for _ in 0..FORGIVE_TRIES {
            match self.store.forgive(conversation).await {
                Err(StoreError::Io(_)) => tokio::time::sleep(STORE_PAUSE).await,
                _ => return,
            }
        }
    }

    async fn outcome(&self, leased: LeasedTurn) -> Result<&'static str, StoreError> {
        let LeasedTurn {
            lease,
            conversation,
            messages,
            attempt,
        } = leased;
        if attempt > self.attempts_max {
            let last_words = last_words(&conversation, &messages);
            self.store
                .bury(lease, "the process ended each time this was being answered", last_words)
                .await?;
            self.metrics.dead_letter("inbox");
            return Ok("buried");
        }
        if let Verdict::Wait { after, tell } = self.pace.ask(&conversation.id, Instant::now()) {
            self.metrics.limited("sender");
            // It answers nothing: the answers come when the wait is over.
            let word = (tell && !conversation.opted_out)
                .then(|| notice(&conversation.id, &messages, "relay.limited"))
                .flatten();
            let word = word.map(|w| NewOutbound {
                answers: Vec::new(),
                ..w
            });
            self.store.defer(lease, after, word.into_iter().collect()).await?;
            return Ok("deferred");
        }
        // In its own task, so that a panic is one failed attempt and not the end of the worker.
        let answering = self.answering.clone();
        let (id, copy) = (conversation.id.clone(), messages.clone());
        let words = last_words(&conversation, &messages);
        let mut task = tokio::spawn(async move { answering.effects(&conversation, &copy).await });
        let failure = match timeout(self.lease.saturating_sub(LEASE_MARGIN), &mut task).await {
            Ok(Ok(Ok(effects))) => {
                self.store.ack(lease, effects).await?;
                return Ok("answered");
            }
            // The store's trouble, not the message's.
            Ok(Ok(Err(e @ StoreError::Io(_)))) => return Err(e),
            Ok(Ok(Err(e))) => e.to_string(),
            Ok(Err(_)) => "a panic while answering".to_owned(),
            Err(_) => {
                task.abort();
                "the turn took longer than its lease".to_owned()
            }
        };
        tracing::warn!(conversation = %id, attempt, "a turn failed: {failure}");
        match self.store.retry(lease, backoff(attempt), &failure, words).await? {
            Retried::Again => Ok("failed"),
            Retried::Buried => {
                self.metrics.dead_letter("inbox");
                Ok("buried")
            }
        }
    }
}

/// 0.5 s, 1 s, 2 s, … up to the longest.
fn backoff(attempt: u32) -> Duration {
    RETRY_FIRST
        .saturating_mul(1 << attempt.saturating_sub(1).min(10))
        .min(RETRY_MAX)
}

/// What the sender reads when their message is given up; who has opted out reads nothing.
fn last_words(conversation: &Conversation, messages: &[Inbound]) -> Vec<NewOutbound> {
    let words = notice(&conversation.id, messages, "relay.given_up");
    words.filter(|_| !conversation.opted_out).into_iter().collect()
}

/// A word of the relay itself to the sender of the last message.
fn notice(conversation: &str, messages: &[Inbound], phrase: &str) -> Option<NewOutbound> {
    let last = messages.last()?;
    Some(NewOutbound {
        conversation: conversation.to_owned(),
        to: last.from.clone(),
        from: last.to.clone(),
        body: phrases().say(phrase, &[]),
        purpose: Purpose::Notice,
        answers: messages.iter().map(|m| m.sid.clone()).collect(),
        suggestions: Vec::new(),
        template: None,
        media: None,
    })
}
