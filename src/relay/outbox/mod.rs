//! The outbox worker: what is to be said goes out, one message at a time for each person.
//!
//! `deliver()` is the step: it begins an attempt durably, sends, and settles what came of it by
//! the code table (`reaction`). A send without an answer is looked up before it is repeated
//! (`unknown`). Receipts come through `receipt()`, in any order, and may bring back a message
//! that failed after it was accepted. `run()` is the loop around them: bounded, paced (`pace`),
//! and silent while Twilio's circuit is open.

mod holds;
mod pace;
mod reaction;
mod unknown;
mod window;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::pace::{May, Pace};
pub use self::reaction::Pauses;
use self::reaction::{Trouble, decide};
use self::unknown::Unknown;
use self::window::Window;
use crate::config::{Config, MediaLinks};
use crate::domain::message::{Address, MessageSid};
use crate::domain::outbound::{ContentTemplate, Delivery, Outbound};
use crate::store::{Receipt, Receipted, Settle, Store, StoreError};
use crate::systems::Board;
use crate::telemetry::Metrics;
use crate::twilio::inbound::{OUTBOX_KEY, StatusUpdate};
use crate::twilio::{Client, Content, Outcome, Outgoing, codes};

/// Sends under way at once.
const SENDS_MAX: usize = 16;
/// Heads of queues looked at in one round.
const ROUND: usize = 200;
/// Pause before looking again at a queue in which something is held back.
const HELD_PAUSE: Duration = Duration::from_millis(250);
/// Pause after the store failed, so that a full disk is not hammered.
const STORE_PAUSE: Duration = Duration::from_secs(1);
/// Twilio's code for a message outside it.
const WINDOW_CODE: &str = "63016";
/// Where Twilio reports to, under the public URL.
const STATUS_PATH: &str = "/webhooks/twilio/status";

/// Where a message goes.
#[derive(Debug, Clone, Copy)]
enum Channel<'a> {
    /// To the phone.
    Twilio(&'a Client),
    /// To the phone in the browser, which reads the store.
    Simulator,
}

/// The outbox.
pub struct Outbox {
    store: Store,
    client: Option<Client>,
    metrics: Arc<Metrics>,
    config: Arc<Config>,
    senders: Vec<String>,
    pauses: Pauses,
    links: Option<MediaLinks>,
    board: Board,
    pace: Mutex<Pace>,
    /// Whose next message the pace holds back, and which it is.
    holds: Mutex<HashMap<Address, Uuid>>,
    unknown: Mutex<Unknown>,
    /// Receipts and look-ups conclude one at a time, so that neither undoes the other.
    settling: tokio::sync::Mutex<()>,
}

/// What a step came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// Twilio has it.
    Accepted,
    /// It is tried again later.
    Retried,
    /// It is a dead letter.
    Failed,
    /// It was made shorter and is tried again at once.
    Shrunk,
    /// It goes as its template at once.
    Templated,
    /// It waits for the person to write.
    Window,
    /// Whether it was sent has to be looked up.
    Unknown,
    /// Not decided yet.
    Later,
    /// Somebody else has settled it.
    Elsewhere,
}

impl Outbox {
    /// An outbox that sends by `client`; without one everything goes to the simulator.
    pub fn new(store: Store, client: Option<Client>, config: &Arc<Config>, metrics: Arc<Metrics>) -> Self {
        Self {
            store,
            client,
            metrics,
            senders: config.twilio.senders(),
            config: Arc::clone(config),
            pauses: Pauses::default(),
            links: None,
            board: Board::default(),
            pace: Mutex::default(),
            holds: Mutex::default(),
            unknown: Mutex::default(),
            settling: tokio::sync::Mutex::default(),
        }
    }

    /// The same with other pauses.
    #[must_use]
    pub fn with_pauses(self, pauses: Pauses) -> Self {
        Self { pauses, ..self }
    }

    /// Works until `shutdown`; then lets the sends under way end.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        self.recall().await;
        let mut under_way: JoinSet<Uuid> = JoinSet::new();
        let mut busy: HashSet<Uuid> = HashSet::new();
        while !shutdown.is_cancelled() {
            // Listening before looking, so that a message in between is not slept over.
            let woken = self.store.outbox_wake().notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            let wait_until = match self.round(&mut under_way, &mut busy).await {
                Ok(next) => next,
                Err(StoreError::Closed) => break,
                Err(error) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "the outbox could not be read");
                    Some(Instant::now() + STORE_PAUSE)
                }
            };
            let due = async {
                match wait_until {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = woken => {}
                () = due => {}
                Some(done) = under_way.join_next() => {
                    match done {
                        Ok(id) => drop(busy.remove(&id)),
                        // A panic does not say whose it was; what was begun is unknown, not lost.
                        Err(_) => busy.clear(),
                    }
                }
            }
        }
        while under_way.join_next().await.is_some() {}
    }

    /// What an earlier process was sending when it died.
    pub async fn recall(&self) {
        match self.store.outbox_unsettled().await {
            Ok(unsettled) => {
                for outbound in unsettled {
                    if let Channel::Simulator = self.channel(&outbound) {
                        // Twilio is gone from the settings: there is nobody to ask.
                        let again = Trouble::unanswered("Twilio is no longer set up");
                        self.told(outbound.id, self.react(&outbound, &again).await);
                        continue;
                    }
                    self.begin_search(outbound, Trouble::unanswered("the process ended during the send"));
                }
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "unsettled sends could not be read"
                );
            }
        }
    }

    /// Starts what may start now; when to look again.
    async fn round(
        self: &Arc<Self>,
        under_way: &mut JoinSet<Uuid>,
        busy: &mut HashSet<Uuid>,
    ) -> Result<Option<Instant>, StoreError> {
        let now = Instant::now();
        let open_until = self.client.as_ref().and_then(Client::open_for).map(|open| now + open);
        let mut next = open_until;
        let mut sooner = |at: Option<Instant>| next = [next, at].into_iter().flatten().min();
        if let Some(client) = self.client.as_ref().filter(|_| open_until.is_none()) {
            for id in self.unknown().take_due(now) {
                let (outbox, client) = (Arc::clone(self), client.clone());
                under_way.spawn(async move {
                    outbox.told(id, outbox.look_up(id, &client).await);
                    id
                });
            }
            sooner(self.unknown().next_due());
        }
        let due = self.store.outbox_due(ROUND).await?;
        let full_round = due.len() >= ROUND;
        let mut held = false;
        let mut holds = Vec::new();
        for outbound in due {
            let id = outbound.id;
            if busy.contains(&id) {
                held = true;
                continue;
            }
            if under_way.len() >= SENDS_MAX {
                // The next one to end wakes the loop.
                held = true;
                break;
            }
            if let Channel::Twilio(_) = self.channel(&outbound) {
                if open_until.is_some() {
                    held = true;
                    continue;
                }
                let to = &outbound.message.to;
                self.holds().insert(to.clone(), id);
                if let May::Later { at, looping } = self.may_send(&outbound, now) {
                    if looping {
                        self.metrics.limited("loop");
                    }
                    holds.push((to.clone(), id, at));
                    continue;
                }
                self.holds().remove(to);
            }
            busy.insert(id);
            let outbox = Arc::clone(self);
            under_way.spawn(async move {
                outbox.told(id, outbox.deliver(outbound).await);
                id
            });
        }
        self.hold(&holds).await?;
        if held || full_round {
            // The store names what is held here first, and hides what becomes due after it.
            sooner(Some(now + HELD_PAUSE));
        } else {
            sooner(self.store.outbox_next_due().await?.filter(|at| *at > now));
        }
        Ok(next)
    }

    fn told(&self, id: Uuid, result: Result<Settled, StoreError>) {
        if let Err(error) = result {
            // What was begun stays `Sending` in the store and is looked up after the next start.
            tracing::error!(outbox = %id, error = &error as &dyn std::error::Error, "a send could not be settled");
        }
    }

    /// One message, to the end of one attempt.
    pub async fn deliver(&self, outbound: Outbound) -> Result<Settled, StoreError> {
        let id = outbound.id;
        let client = match self.channel(&outbound) {
            Channel::Simulator => return self.simulate(&outbound).await,
            Channel::Twilio(client) => client,
        };
        let reason = || codes::in_words(WINDOW_CODE);
        match self.window(&outbound).await? {
            Window::Open => {}
            _ if outbound.templated => {}
            Window::Over | Window::Never if outbound.message.template.is_some() => {
                // Begun as what it will be sent as, so that a look-up after a crash knows it.
                let settle = Settle::Templated { reason: reason() };
                self.store.outbox_settle(id, settle).await?;
            }
            Window::Over => return self.settle(id, Settle::Window { reason: reason() }).await,
            Window::Never => {}
        }
        if self.unknown().contains(id) {
            // Its last attempt is over, or it would not be due; a look-up may be about to conclude.
            let _one_at_a_time = self.settling.lock().await;
            self.unknown().end(id);
        }
        let outbound = match self.store.outbox_start(id).await {
            Ok(outbound) => outbound,
            // It was settled meanwhile, or is no longer the next of its recipient.
            Err(StoreError::Conflict { .. } | StoreError::NotFound(_)) => return Ok(Settled::Elsewhere),
            Err(error) => return Err(error),
        };
        self.pace()
            .sent(&outbound.message.to, self.gap(&outbound), Instant::now());
        let callback = self.status_callback(id);
        let message = &outbound.message;
        let template = message.template.as_ref().filter(|_| outbound.templated);
        let variables = template.map(ContentTemplate::variables_json).unwrap_or_default();
        let media_url = self.media_url(&outbound);
        let started = Instant::now();
        let sent = client
            .send(Outgoing {
                to: message.to.as_str(),
                from: &message.from,
                body: &message.body,
                content: template.map(|template| Content {
                    sid: &template.content_sid,
                    variables: &variables,
                }),
                media_url: media_url.as_deref(),
                status_callback: callback.as_deref(),
            })
            .await;
        self.called(started, &sent);
        let settled = match sent {
            Ok(sent) => self.accepted(&outbound, sent.sid).await,
            Err(error) if error.outcome() == Outcome::Unknown => {
                self.metrics.unknown_outcome();
                tracing::warn!(
                    outbox = %id,
                    attempt = outbound.attempts,
                    error = &error as &dyn std::error::Error,
                    "unknown outcome: the send got no answer and is looked up"
                );
                self.begin_search(outbound.clone(), Trouble::of_send(&error));
                Ok(Settled::Unknown)
            }
            Err(error) => self.react(&outbound, &Trouble::of_send(&error)).await,
        };
        if settled.is_err() {
            // What came of it could not be written: it is looked up when the store is well again.
            self.begin_search(outbound, Trouble::unanswered("the outcome could not be stored"));
        }
        settled
    }

    /// What Twilio reports of a message, by callback or by the list.
    pub async fn receipt(&self, update: StatusUpdate) -> Result<Receipted, StoreError> {
        let _one_at_a_time = match update.delivery {
            Delivery::Failed => Some(self.settling.lock().await),
            _ => None,
        };
        let reason = update.error_code.as_deref().map(codes::in_words);
        let receipted = self
            .store
            .receipt(Receipt {
                outbox: update.outbox,
                sid: update.sid,
                delivery: update.delivery,
                error_code: update.error_code,
                reason,
            })
            .await?;
        match &receipted {
            Receipted::Applied(outbound) => {
                self.metrics.receipt("applied");
                if self.unknown().end(outbound.id) {
                    self.metrics.outbox("accepted");
                    self.metrics.message("outbound");
                }
                if outbound.delivery == Delivery::Failed {
                    let trouble = Trouble::reported(outbound.error_code.clone(), outbound.reason.clone());
                    self.react(outbound, &trouble).await?;
                }
                if outbound.delivery >= Delivery::Sent {
                    self.arrived(&outbound.message.to, outbound.id).await?;
                }
            }
            Receipted::Stale => self.metrics.receipt("stale"),
            Receipted::Unknown => self.metrics.receipt("unknown"),
        }
        Ok(receipted)
    }

    /// Twilio has taken the message under this id. A receipt may have come before, and may have
    /// said that it failed.
    async fn accepted(&self, outbound: &Outbound, sid: MessageSid) -> Result<Settled, StoreError> {
        self.metrics.outbox("accepted");
        self.metrics.message("outbound");
        let (id, to) = (outbound.id, &outbound.message.to);
        let reported = !self.config.server.public_url.is_empty();
        if let (true, Channel::Twilio(_)) = (reported, self.channel(outbound)) {
            // Before it is written, so that no report slips through between.
            self.pace().accepted(to, id, Instant::now() + self.pauses.order);
        }
        let outbound = self.store.outbox_settle(id, Settle::Accepted { sid }).await?;
        if outbound.delivery >= Delivery::Sent {
            self.arrived(to, id).await?;
        }
        if outbound.delivery == Delivery::Failed {
            let trouble = Trouble::reported(outbound.error_code.clone(), outbound.reason.clone());
            return self.react(&outbound, &trouble).await;
        }
        Ok(Settled::Accepted)
    }

    /// Does what the failure asks for.
    async fn react(&self, outbound: &Outbound, trouble: &Trouble) -> Result<Settled, StoreError> {
        let tries_max = self.config.twilio.send_attempts_max;
        let decision = decide(outbound, trouble, Timestamp::now(), tries_max, &self.pauses);
        if decision.alert {
            let code = trouble.code.as_deref().unwrap_or_default();
            tracing::error!(outbox = %outbound.id, code, "sending needs somebody to act: {}", trouble.reason);
        } else {
            let code = trouble.code.as_deref().unwrap_or_default();
            tracing::warn!(outbox = %outbound.id, code, attempt = outbound.attempts, "a send failed: {}", trouble.reason);
        }
        if trouble.code.as_deref().is_some_and(codes::is_opt_out) {
            self.store.opt_out(&outbound.message.conversation).await?;
        }
        self.settle(outbound.id, decision.settle).await
    }

    async fn settle(&self, id: Uuid, settle: Settle) -> Result<Settled, StoreError> {
        let (label, settled) = match &settle {
            Settle::Accepted { .. } => ("accepted", Settled::Accepted),
            Settle::Retry { .. } => ("retried", Settled::Retried),
            Settle::Failed { .. } => ("failed", Settled::Failed),
            Settle::Shrunk { .. } => ("shrunk", Settled::Shrunk),
            Settle::Templated { .. } => ("templated", Settled::Templated),
            Settle::Window { .. } => ("window", Settled::Window),
        };
        self.store.outbox_settle(id, settle).await?;
        self.metrics.outbox(label);
        if settled == Settled::Failed {
            self.metrics.dead_letter("outbox");
        }
        Ok(settled)
    }

    /// The phone in the browser reads what the store holds; nothing has to be carried there.
    async fn simulate(&self, outbound: &Outbound) -> Result<Settled, StoreError> {
        let Ok(sid) = MessageSid::parse(&format!("SM{}", outbound.id.simple())) else {
            return Ok(Settled::Elsewhere);
        };
        let settled = self.accepted(outbound, sid.clone()).await?;
        let receipt = Receipt {
            outbox: Some(outbound.id),
            sid,
            delivery: Delivery::Delivered,
            error_code: None,
            reason: None,
        };
        self.store.receipt(receipt).await?;
        Ok(settled)
    }

    fn channel(&self, outbound: &Outbound) -> Channel<'_> {
        match &self.client {
            Some(client) if self.senders.contains(&outbound.message.from) || !self.config.simulator_on() => {
                Channel::Twilio(client)
            }
            _ => Channel::Simulator,
        }
    }

    fn status_callback(&self, id: Uuid) -> Option<String> {
        let public = self.config.server.public_url.as_str();
        (!public.is_empty()).then(|| format!("{public}{STATUS_PATH}?{OUTBOX_KEY}={id}"))
    }

    fn begin_search(&self, outbound: Outbound, trouble: Trouble) {
        self.unknown().begin(outbound, trouble, &self.pauses);
    }

    fn may_send(&self, outbound: &Outbound, now: Instant) -> May {
        self.pace().ask(&outbound.message.to, self.gap(outbound), now)
    }

    fn gap(&self, outbound: &Outbound) -> Duration {
        Duration::from_millis(self.config.twilio.recipient_gap_ms(&outbound.message.from))
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unknown(&self) -> MutexGuard<'_, Unknown> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
