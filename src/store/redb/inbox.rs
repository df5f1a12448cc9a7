//! The inbox: what comes in, what is leased, how a turn ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::addresses;
use super::agenda::{Begun, Waiting};
use super::conversations::{self, Change};
use super::dead;
use super::outbox::{self, Letter};
use super::tables::{SidKey, decode, encode};
use super::writer::Work;
use crate::domain::message::{Address, Inbound, Origin};
use crate::store::records::Dead;
use crate::store::turn::{Ingested, Lease, Retried};
use crate::store::{StoreError, StoreLimits};

/// A message as it waits.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct InboxRow {
    pub conversation: String,
    pub message: Inbound,
}

/// The sender of a message, without reading the rest of it.
#[derive(Deserialize)]
struct SenderRow {
    message: Sender,
}

#[derive(Deserialize)]
struct Sender {
    from: Address,
}

/// A turn that was begun: durable, so that a turn which kills the process is not tried for ever.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AttemptRow {
    pub upto: u64,
    pub attempt: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A message made ready by its caller, so that the writer only has to put it away.
pub(super) struct Arrival {
    pub sid: SidKey,
    pub seconds: u32,
    pub origin: Origin,
    pub hold: Duration,
    pub conversation: String,
    pub row: Vec<u8>,
    /// The two addresses that this message shows to be one person's.
    pub link: Option<(Address, Address)>,
}

impl Arrival {
    pub fn new(message: Inbound, conversation: &str, hold: Duration, limits: &StoreLimits) -> Result<Self, StoreError> {
        let link = message
            .external_id
            .clone()
            .filter(|id| *id != message.from)
            .map(|id| (message.from.clone(), id));
        let row = InboxRow {
            conversation: conversation.to_owned(),
            message,
        };
        Ok(Self {
            sid: super::tables::sid_key(&row.message.sid),
            seconds: seconds(row.message.received_at),
            origin: row.message.origin,
            hold,
            link,
            row: encode("inbox row", &row, limits.row_bytes)?,
            conversation: row.conversation,
        })
    }
}

/// Seconds since 1970, enough for tidying.
pub(super) fn seconds(at: Timestamp) -> u32 {
    u32::try_from(at.as_second()).unwrap_or_default()
}

/// Stores a message, unless it is here already.
pub(super) fn ingest(work: &mut Work<'_>, arrival: Arrival) -> Result<Ingested, StoreError> {
    if work.tables.sids()?.has(arrival.sid)? {
        return enrich(work, arrival);
    }
    if work.index.agenda.messages() >= work.limits.inbox_messages {
        return Err(StoreError::Full {
            what: "inbox",
            limit: work.limits.inbox_messages,
        });
    }
    work.tables.sids()?.put(arrival.sid, arrival.seconds)?;
    enqueue(
        work,
        &arrival.conversation,
        arrival.sid,
        arrival.origin,
        arrival.hold,
        &arrival.row,
    )?;
    if let Some((from, external)) = &arrival.link {
        addresses::link(work, from, external)?;
    }
    outbox::window_opens(work, &arrival.conversation)?;
    Ok(Ingested::New)
}

/// Puts a row at the end of its conversation's line.
pub(super) fn enqueue(
    work: &mut Work<'_>,
    conversation: &str,
    sid: SidKey,
    origin: Origin,
    hold: Duration,
    row: &[u8],
) -> Result<(), StoreError> {
    let seq = work.index.number(work.wall);
    work.tables.inbox()?.put(seq, row)?;
    let polled = origin == Origin::Poll;
    work.index.agenda.add(
        conversation,
        Waiting {
            seq,
            sid,
            polled,
            at: work.now,
            hold,
        },
    );
    work.wake_inbox = true;
    Ok(())
}

/// The webhook's copy of a polled message brings what the list does not tell; what the webhook does
/// not know (when it was sent) and when we first saw it stay.
fn enrich(work: &mut Work<'_>, arrival: Arrival) -> Result<Ingested, StoreError> {
    if arrival.origin != Origin::Webhook {
        return Ok(Ingested::Duplicate);
    }
    let Some(seq) = work.index.agenda.enrichable(&arrival.sid) else {
        return Ok(Ingested::Duplicate);
    };
    let Some(old) = work
        .tables
        .inbox()?
        .get(seq)?
        .map(|bytes| decode::<InboxRow>("inbox row", bytes.value()))
    else {
        return Ok(Ingested::Duplicate);
    };
    let old = old?;
    let mut row: InboxRow = decode("inbox row", &arrival.row)?;
    row.conversation = old.conversation;
    row.message.received_at = old.message.received_at;
    row.message.sent_at = row.message.sent_at.or(old.message.sent_at);
    if row.message.media.is_empty() {
        row.message.media = old.message.media;
    }
    let bytes = encode("inbox row", &row, work.limits.row_bytes)?;
    work.tables.inbox()?.put(seq, bytes.as_slice())?;
    work.index.agenda.enriched(&arrival.sid);
    if let Some((from, external)) = &arrival.link {
        addresses::link(work, from, external)?;
    }
    Ok(Ingested::Enriched)
}

/// A leased turn as bytes; reading them is the caller's work, not the writer's.
pub(super) struct Taken {
    pub conversation: Arc<str>,
    pub lease: u64,
    pub attempt: u32,
    pub rows: Vec<Vec<u8>>,
    /// The employee whose address wrote last.
    pub person: Option<String>,
    pub state: conversations::State,
}

/// Leases the turn that has been due for longest, and counts the attempt.
pub(super) fn lease(work: &mut Work<'_>, lease_for: Duration) -> Result<Result<Taken, Option<Instant>>, StoreError> {
    let picked = match work.index.agenda.lease(work.now, lease_for) {
        Ok(picked) => picked,
        Err(next_due) => return Ok(Err(next_due)),
    };
    let rows = turn_rows(work, &picked.conversation)?;
    let state = conversations::state(work, &picked.conversation)?;
    let person = match rows.last() {
        Some(last) => {
            let from = decode::<SenderRow>("inbox row", last)?.message.from;
            addresses::person(work, &from)?
        }
        None => None,
    };
    note_attempt(work, &picked.conversation, picked.begun, None)?;
    Ok(Ok(Taken {
        conversation: picked.conversation,
        lease: picked.lease,
        attempt: picked.begun.attempt,
        rows,
        person,
        state,
    }))
}

/// The rows of a turn that was begun, in order.
fn turn_rows(work: &mut Work<'_>, conversation: &str) -> Result<Vec<Vec<u8>>, StoreError> {
    let mut rows = Vec::new();
    for seq in work.index.agenda.turn(conversation) {
        rows.extend(work.tables.inbox()?.get(seq)?.map(|bytes| bytes.value().to_vec()));
    }
    Ok(rows)
}

fn note_attempt(
    work: &mut Work<'_>,
    conversation: &str,
    begun: Begun,
    reason: Option<String>,
) -> Result<(), StoreError> {
    let row = AttemptRow {
        upto: begun.upto,
        attempt: begun.attempt,
        reason: reason.map(dead::short),
    };
    let bytes = encode("attempt", &row, work.limits.row_bytes)?;
    work.tables.attempts()?.put(conversation, bytes.as_slice())
}

fn held(work: &Work<'_>, lease: &Lease) -> Result<Begun, StoreError> {
    work.index
        .agenda
        .held(&lease.conversation, lease.id)
        .ok_or(StoreError::LeaseLost)
}

/// More time for a turn.
pub(super) fn extend(work: &mut Work<'_>, conversation: &Arc<str>, id: u64, by: Duration) -> Result<(), StoreError> {
    work.index.agenda.held(conversation, id).ok_or(StoreError::LeaseLost)?;
    work.index.agenda.extend(conversation, work.now + by);
    Ok(())
}

/// What an answered turn leaves behind, made ready by its caller.
pub(super) struct Outcome {
    pub replies: Vec<Letter>,
    pub change: Change,
}

/// The turn is answered: all of it in this transaction, or nothing when the lease is lost.
pub(super) fn ack(work: &mut Work<'_>, lease: Lease, outcome: Outcome) -> Result<(), StoreError> {
    held(work, &lease)?;
    outbox::room(work, outcome.replies.len())?;
    finish(work, &lease)?;
    outbox::enqueue(work, outcome.replies)?;
    conversations::change(
        work,
        &lease.conversation,
        Change {
            seen: lease.seen,
            ..outcome.change
        },
    )
}

/// Removes a turn's messages from the inbox.
fn finish(work: &mut Work<'_>, lease: &Lease) -> Result<(), StoreError> {
    for seq in work.index.agenda.finish(&lease.conversation) {
        work.tables.inbox()?.remove(seq)?;
    }
    work.tables.attempts()?.remove(&*lease.conversation)?;
    work.wake_inbox |= work.index.agenda.is_waiting(&lease.conversation);
    Ok(())
}

/// The turn failed: again later, or to the dead letters when it has failed often enough.
pub(super) fn retry(
    work: &mut Work<'_>,
    lease: Lease,
    after: Duration,
    reason: String,
    last_words: Vec<Letter>,
) -> Result<Retried, StoreError> {
    let begun = held(work, &lease)?;
    if begun.attempt >= work.limits.attempts {
        bury(work, lease, reason, last_words)?;
        return Ok(Retried::Buried);
    }
    note_attempt(work, &lease.conversation, begun, Some(reason))?;
    work.index
        .agenda
        .put_back(&lease.conversation, Some(begun), work.now + after);
    work.wake_inbox = true;
    Ok(Retried::Again)
}

/// The turn was not tried after all: it is due at once and the attempt does not count.
pub(super) fn defer(work: &mut Work<'_>, lease: Lease, after: Duration, words: Vec<Letter>) -> Result<(), StoreError> {
    let begun = held(work, &lease)?;
    outbox::room(work, words.len())?;
    let begun = Some(Begun {
        attempt: begun.attempt.saturating_sub(1),
        ..begun
    })
    .filter(|begun| begun.attempt > 0);
    match begun {
        Some(begun) => note_attempt(work, &lease.conversation, begun, None)?,
        None => {
            work.tables.attempts()?.remove(&*lease.conversation)?;
        }
    }
    outbox::enqueue(work, words)?;
    work.index.agenda.put_back(&lease.conversation, begun, work.now + after);
    work.wake_inbox = true;
    Ok(())
}

/// An attempt that ended because the store could not write was none.
pub(super) fn forgive(work: &mut Work<'_>, conversation: &str) -> Result<(), StoreError> {
    match work.index.agenda.forgive(conversation) {
        None => return Ok(()),
        Some(Some(begun)) => note_attempt(work, conversation, begun, None)?,
        Some(None) => {
            work.tables.attempts()?.remove(conversation)?;
        }
    }
    work.wake_inbox = true;
    Ok(())
}

/// The turn is given up: to the dead letters, with a last word to its sender.
pub(super) fn bury(
    work: &mut Work<'_>,
    lease: Lease,
    reason: String,
    last_words: Vec<Letter>,
) -> Result<(), StoreError> {
    let begun = held(work, &lease)?;
    outbox::room(work, last_words.len())?;
    let mut messages = Vec::new();
    for bytes in turn_rows(work, &lease.conversation)? {
        let row: InboxRow = decode("inbox row", &bytes)?;
        messages.push(row.message);
    }
    let letter = Dead::Inbound {
        conversation: lease.conversation.to_string(),
        messages,
        attempts: begun.attempt,
    };
    dead::bury(work, None, reason, letter)?;
    finish(work, &lease)?;
    outbox::enqueue(work, last_words)?;
    let change = Change {
        seen: lease.seen,
        ..Change::default()
    };
    conversations::change(work, &lease.conversation, change)
}
