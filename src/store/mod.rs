//! Durable state: what must not be lost.
//!
//! A message comes in by [`Store::ingest`], deduplicated by its id in the write that stores it. A
//! worker leases a conversation's waiting messages as one turn ([`Store::lease`]) and ends it with
//! [`Store::ack`], which in one transaction removes the messages, enqueues the replies and keeps
//! the turn and the engine's memory; or with [`Store::retry`], which after too many failures moves
//! the turn to the dead letters. The sender takes the heads of the recipients' queues
//! ([`Store::outbox_due`]), begins an attempt ([`Store::outbox_start`]) and says how it ended
//! ([`Store::outbox_settle`]); delivery receipts ([`Store::receipt`]) come in any order.
//!
//! Everything that changes something is durable when its future yields Ok. An operation that was
//! handed over is done even if the future is dropped, so a client that hangs up undoes nothing.
//! Reads see what is committed, take microseconds and never wait for the writer.

mod delivery;
mod error;
mod ledger;
mod limits;
mod page;
mod records;
mod redb;
mod turn;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::Notify;
use uuid::Uuid;

pub use self::delivery::{Receipt, Receipted, Settle};
pub use self::error::StoreError;
pub use self::ledger::{AuditRow, Begun, Outcome};
pub use self::limits::StoreLimits;
pub use self::page::{Listed, Page};
pub use self::records::{Dead, DeadLetter, Depths, Health, InboxEntry, KnownAddress, MailDraft, MediaRecord};
pub use self::redb::RedbStore;
pub use self::turn::{
    Asked, Conversation, ConversationSummary, Ingested, Lease, LeasedTurn, Leasing, Retried, TurnEffects, TurnRecord,
};
use crate::domain::message::{Address, Inbound, MessageSid};
use crate::domain::outbound::{NewOutbound, Outbound};
use crate::telemetry::Metrics;

/// Media records that are read for one list.
pub const MEDIA_LISTED_MAX: usize = 20_000;

type Stored<T> = Result<T, StoreError>;

/// The durable store; a cheap handle. When the last one is dropped, what is queued is done first.
#[derive(Debug, Clone)]
pub enum Store {
    /// Embedded: one file, one process.
    Redb(RedbStore),
}

/// Opening and watching.
impl Store {
    /// Opens the data directory, or makes it.
    pub fn open(directory: &Path, limits: StoreLimits) -> Stored<Self> {
        RedbStore::open(directory, limits).map(Self::Redb)
    }

    /// Is there a database in this directory?
    pub fn is_begun(directory: &Path) -> bool {
        RedbStore::is_begun(directory)
    }

    /// Counts commits from now on: how long each took and how many operations shared it.
    pub fn count_in(&self, metrics: Arc<Metrics>) {
        let Self::Redb(store) = self;
        store.count_in(metrics);
    }

    /// Waits until everything handed over so far is durable.
    pub async fn flush(&self) -> Stored<()> {
        let Self::Redb(store) = self;
        store.flush().await
    }

    /// How much waits; cheap.
    pub fn depths(&self) -> Depths {
        let Self::Redb(store) = self;
        store.depths()
    }

    /// Whether the writer keeps up; cheap.
    pub fn health(&self) -> Health {
        let Self::Redb(store) = self;
        store.health()
    }

    /// Notified when there may be a turn to lease.
    pub fn inbox_wake(&self) -> &Notify {
        let Self::Redb(store) = self;
        store.inbox_wake()
    }

    /// Notified when there may be a message to send.
    pub fn outbox_wake(&self) -> &Notify {
        let Self::Redb(store) = self;
        store.outbox_wake()
    }
}

/// The inbox.
impl Store {
    /// Stores a message of a conversation, once. Its turn is due `hold` after the newest message of
    /// the conversation, but no later than `StoreLimits::hold_total_ms` after the first.
    pub async fn ingest(&self, message: Inbound, conversation: &str, hold: Duration) -> Stored<Ingested> {
        let Self::Redb(store) = self;
        store.ingest(message, conversation, hold).await
    }

    /// Which of these messages have been stored before.
    pub async fn known(&self, sids: &[MessageSid]) -> Stored<Vec<bool>> {
        let Self::Redb(store) = self;
        store.known(sids)
    }

    /// Leases the turn that has been due for longest. One that is not ended in time is leased again,
    /// with the same messages: what was written since waits for the next turn.
    pub async fn lease(&self, lease_for: Duration) -> Stored<Leasing> {
        let Self::Redb(store) = self;
        store.lease(lease_for).await
    }

    /// More time for a turn, from now.
    pub async fn extend(&self, lease: &Lease, by: Duration) -> Stored<()> {
        let Self::Redb(store) = self;
        store.extend(lease, by).await
    }

    /// The turn is answered. All of its effects, or none when the lease was lost; the ids of the
    /// replies in the outbox come back.
    pub async fn ack(&self, lease: Lease, effects: TurnEffects) -> Stored<Vec<Uuid>> {
        let Self::Redb(store) = self;
        store.ack(lease, effects).await
    }

    /// The turn failed. After `StoreLimits::attempts` failures it is a dead letter, and the last
    /// words go to the outbox.
    pub async fn retry(
        &self,
        lease: Lease,
        after: Duration,
        reason: &str,
        last_words: Vec<NewOutbound>,
    ) -> Stored<Retried> {
        let Self::Redb(store) = self;
        store.retry(lease, after, reason, last_words).await
    }

    /// The turn is given up at once.
    pub async fn bury(&self, lease: Lease, reason: &str, last_words: Vec<NewOutbound>) -> Stored<()> {
        let Self::Redb(store) = self;
        store.bury(lease, reason, last_words).await
    }

    /// The last attempt of a conversation's turn ended because the store itself failed, which lets go
    /// of every lease: it does not count, so that no full disk sends a message to the dead letters.
    pub async fn forgive(&self, conversation: &str) -> Stored<()> {
        let Self::Redb(store) = self;
        store.forgive(conversation).await
    }

    /// The turn has to wait: it is due again `after` now, the attempt does not count, and `words` go
    /// to the outbox.
    pub async fn defer(&self, lease: Lease, after: Duration, words: Vec<NewOutbound>) -> Stored<()> {
        let Self::Redb(store) = self;
        store.defer(lease, after, words).await
    }

    /// What waits, oldest first.
    pub async fn inbox(&self, page: &Page) -> Stored<Listed<InboxEntry>> {
        let Self::Redb(store) = self;
        store.inbox(page)
    }
}

/// The outbox.
impl Store {
    /// Puts messages at the end of their recipients' queues, all or none; returns their ids.
    pub async fn enqueue(&self, messages: Vec<NewOutbound>) -> Stored<Vec<Uuid>> {
        let Self::Redb(store) = self;
        store.enqueue(messages).await
    }

    /// The messages that may be sent now: of each recipient only the first.
    pub async fn outbox_due(&self, limit: usize) -> Stored<Vec<Outbound>> {
        let Self::Redb(store) = self;
        store.outbox_due(limit).await
    }

    /// When the next message may be sent; in the past when one may be sent now.
    pub async fn outbox_next_due(&self) -> Stored<Option<Instant>> {
        let Self::Redb(store) = self;
        store.outbox_next_due().await
    }

    /// These messages are not due before a time of the sender's, so that they hide nobody else's;
    /// one that waits for something else stays as it is. Not kept over a restart.
    pub async fn outbox_hold(&self, holds: Vec<(Uuid, Instant)>) -> Stored<()> {
        let Self::Redb(store) = self;
        store.outbox_hold(holds).await
    }

    /// Begins an attempt; durable before the request leaves.
    pub async fn outbox_start(&self, id: Uuid) -> Stored<Outbound> {
        let Self::Redb(store) = self;
        store.outbox_start(id).await
    }

    /// Says how an attempt ended, and how the message now stands: a receipt may have told more. Also
    /// the reaction to a failure that a receipt reported later: `Retry`, `Window`, `Templated` and `Shrunk` bring
    /// a failed message back to its place, `Failed` buries it; one that is not failed stays as it is.
    pub async fn outbox_settle(&self, id: Uuid, settle: Settle) -> Stored<Outbound> {
        let Self::Redb(store) = self;
        store.outbox_settle(id, settle).await
    }

    /// Messages whose send was under way when the process died: their outcome is unknown, and they
    /// hold up their recipient until it is settled.
    pub async fn outbox_unsettled(&self) -> Stored<Vec<Outbound>> {
        let Self::Redb(store) = self;
        store.outbox_unsettled().await
    }

    /// Applies a delivery receipt.
    pub async fn receipt(&self, receipt: Receipt) -> Stored<Receipted> {
        let Self::Redb(store) = self;
        store.receipt(receipt).await
    }

    /// What is to be sent, oldest first.
    pub async fn outbox(&self, page: &Page) -> Stored<Listed<Outbound>> {
        let Self::Redb(store) = self;
        store.outbox(page)
    }

    /// What was sent, newest first.
    pub async fn sent(&self, page: &Page) -> Stored<Listed<Outbound>> {
        let Self::Redb(store) = self;
        store.sent(page)
    }

    /// A message that left the outbox because Twilio has it; None while it waits or is being sent.
    pub async fn outbound(&self, id: Uuid) -> Stored<Option<Outbound>> {
        let Self::Redb(store) = self;
        store.outbound(id)
    }

    /// A message that was sent, by Twilio's id.
    pub async fn outbound_by_sid(&self, sid: &MessageSid) -> Stored<Option<Outbound>> {
        let Self::Redb(store) = self;
        store.outbound_by_sid(sid)
    }
}

/// Conversations and people.
impl Store {
    /// A conversation; None before its first turn ended.
    pub async fn conversation(&self, id: &str) -> Stored<Option<Conversation>> {
        let Self::Redb(store) = self;
        store.conversation(id)
    }

    /// Conversations, the most recent turn first.
    pub async fn conversations(&self, page: &Page) -> Stored<Listed<ConversationSummary>> {
        let Self::Redb(store) = self;
        store.conversations(page)
    }

    /// The turns of a conversation, newest first.
    pub async fn turns(&self, id: &str, page: &Page) -> Stored<Listed<TurnRecord>> {
        let Self::Redb(store) = self;
        store.turns(id, page)
    }

    /// Keeps a turn that did not come through the inbox: the web's, the command line's.
    pub async fn remember(&self, id: &str, turn: TurnRecord, memory: Value) -> Stored<()> {
        let Self::Redb(store) = self;
        store.remember(id, turn, memory).await
    }

    /// The provider says that the person wants no messages: kept as if they had said so here.
    pub async fn opt_out(&self, id: &str) -> Stored<()> {
        let Self::Redb(store) = self;
        store.opt_out(id).await
    }

    /// The employee an address is bound to.
    pub async fn person_of(&self, address: &Address) -> Stored<Option<String>> {
        let Self::Redb(store) = self;
        store.person_of(address)
    }

    /// Binds an address, and the others of the same person, to an employee; None unbinds.
    pub async fn bind(&self, address: &Address, person: Option<&str>) -> Stored<()> {
        let Self::Redb(store) = self;
        store.bind(address, person).await
    }

    /// All known addresses.
    pub async fn addresses(&self, page: &Page) -> Stored<Listed<KnownAddress>> {
        let Self::Redb(store) = self;
        store.addresses(page)
    }
}

/// Dead letters, media, and what the program keeps for itself.
impl Store {
    /// Dead letters, newest first.
    pub async fn dead(&self, page: &Page) -> Stored<Listed<DeadLetter>> {
        let Self::Redb(store) = self;
        store.dead(page)
    }

    /// Puts a dead letter back at the end of its queue, with all its tries.
    pub async fn dead_retry(&self, id: u64) -> Stored<()> {
        let Self::Redb(store) = self;
        store.dead_retry(id).await
    }

    /// Drops a dead letter for good.
    pub async fn dead_drop(&self, id: u64) -> Stored<()> {
        let Self::Redb(store) = self;
        store.dead_drop(id).await
    }

    /// Keeps a media record.
    pub async fn media_put(&self, record: MediaRecord) -> Stored<()> {
        let Self::Redb(store) = self;
        store.media_put(record).await
    }

    /// Looks at the next `limit` media records, forgets those stored before a time, and returns the
    /// files that no record needs any more; deleting them is the caller's.
    pub async fn media_forget(&self, before: Timestamp, limit: usize) -> Stored<Vec<String>> {
        let Self::Redb(store) = self;
        store.media_forget(before, limit).await
    }

    /// A media record.
    pub async fn media(&self, id: Uuid) -> Stored<Option<MediaRecord>> {
        let Self::Redb(store) = self;
        store.media(id)
    }

    /// The first media record with this content.
    pub async fn media_by_hash(&self, hash: &str) -> Stored<Option<MediaRecord>> {
        let Self::Redb(store) = self;
        store.media_by_hash(hash)
    }

    /// Media records, in no order; at most [`MEDIA_LISTED_MAX`].
    pub async fn media_list(&self) -> Stored<Vec<MediaRecord>> {
        let Self::Redb(store) = self;
        store.media_list()
    }

    /// Keeps a mail for a person to send.
    pub async fn draft_put(&self, draft: MailDraft) -> Stored<()> {
        let Self::Redb(store) = self;
        store.draft_put(draft).await
    }

    /// Such mails, newest first.
    pub async fn drafts(&self, page: &Page) -> Stored<Listed<MailDraft>> {
        let Self::Redb(store) = self;
        store.drafts(page)
    }

    /// A value the program keeps for itself, such as the poller's cursor.
    pub async fn meta_get(&self, key: &str) -> Stored<Option<String>> {
        let Self::Redb(store) = self;
        store.meta_get(key)
    }

    /// Keeps such a value.
    pub async fn meta_put(&self, key: &str, value: &str) -> Stored<()> {
        let Self::Redb(store) = self;
        store.meta_put(key, value).await
    }
}
