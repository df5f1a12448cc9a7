//! The outbox: what is to be sent, in strict order for each recipient, and what left it.
//!
//! A message to be sent is in `outbox`; once Twilio has it, it moves to `sent`, where receipts find
//! it. A failure that is reported later can bring it back to its old place in the queue.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::dead;
use super::queues::{Slot, Waits};
use super::receipts;
use super::tables::{decode, encode, sid_key};
use super::writer::Work;
use crate::domain::message::MessageSid;
use crate::domain::outbound::{Delivery, NewOutbound, Outbound};
use crate::store::delivery::Settle;
use crate::store::records::Dead;
use crate::store::{StoreError, StoreLimits};

/// Pause before another try when the recipient wrote while a message was found to be out of time.
const WINDOW_PAUSE: Duration = Duration::from_secs(2);
/// Ids of earlier attempts that are remembered of one message.
const PAST_SIDS: usize = 8;

/// A message of the outbox as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct OutboxRow {
    pub outbound: Outbound,
    /// Its place, which it keeps when it comes back.
    #[serde(default)]
    pub seq: u64,
    /// Waits until its recipient writes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub window: bool,
    /// Twilio's ids of earlier attempts: their receipts are history.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past_sids: Vec<MessageSid>,
}

impl OutboxRow {
    pub fn new(outbound: Outbound) -> Self {
        Self {
            outbound,
            seq: 0,
            window: false,
            past_sids: Vec::new(),
        }
    }

    pub fn slot(&self, waits: Waits) -> Slot {
        Slot {
            seq: self.seq,
            id: self.outbound.id.as_u128(),
            to: self.outbound.message.to.as_str().into(),
            conversation: self.outbound.message.conversation.as_str().into(),
            waits,
        }
    }

    /// The attempt is over; a new one will have a new id at Twilio.
    fn forget_sid(&mut self) {
        if let Some(sid) = self.outbound.sid.take() {
            if self.past_sids.len() >= PAST_SIDS {
                self.past_sids.remove(0);
            }
            self.past_sids.push(sid);
        }
    }

    /// Error fields are overwritten by what is present, never erased.
    pub fn note(&mut self, code: Option<String>, reason: Option<String>) {
        self.outbound.error_code = code.or(self.outbound.error_code.take());
        self.outbound.reason = reason.map(dead::short).or(self.outbound.reason.take());
    }
}

/// A message to be enqueued, with the id its caller has given it.
pub(super) struct Letter {
    pub id: Uuid,
    message: NewOutbound,
}

impl Letter {
    pub fn new(message: NewOutbound, limits: &StoreLimits) -> Result<Self, StoreError> {
        encode("outbound message", &message, limits.row_bytes)?;
        Ok(Self {
            id: Uuid::now_v7(),
            message,
        })
    }

    /// The conversation it goes to.
    pub fn conversation(&self) -> &str {
        &self.message.conversation
    }
}

/// Is there room for so many more?
pub(super) fn room(work: &Work<'_>, more: usize) -> Result<(), StoreError> {
    let limit = work.limits.outbox_messages;
    if more > 0 && work.index.queues.len().saturating_add(more) > limit {
        return Err(StoreError::Full { what: "outbox", limit });
    }
    Ok(())
}

/// Puts messages at the end of their recipients' queues.
pub(super) fn enqueue(work: &mut Work<'_>, letters: Vec<Letter>) -> Result<(), StoreError> {
    for Letter { id, message } in letters {
        let outbound = Outbound {
            id,
            message,
            delivery: Delivery::Pending,
            sid: None,
            attempts: 0,
            shrunk: false,
            templated: false,
            error_code: None,
            reason: None,
            created_at: work.wall,
            updated_at: work.wall,
        };
        put_waiting(work, OutboxRow::new(outbound))?;
    }
    Ok(())
}

/// Puts a row at the end of its recipient's queue.
pub(super) fn put_waiting(work: &mut Work<'_>, mut row: OutboxRow) -> Result<(), StoreError> {
    row.seq = work.index.number(work.wall);
    keep(work, &row)?;
    work.index.queues.put(row.slot(Waits::Until(work.now)));
    work.wake_outbox = true;
    Ok(())
}

fn keep(work: &mut Work<'_>, row: &OutboxRow) -> Result<(), StoreError> {
    let bytes = encode("outbox row", row, usize::MAX)?;
    work.tables.outbox()?.put(row.seq, bytes.as_slice())
}

pub(super) fn waiting(work: &mut Work<'_>, seq: u64) -> Result<OutboxRow, StoreError> {
    let found = work.tables.outbox()?.get(seq)?;
    let bytes = found.ok_or(StoreError::NotFound("message in the outbox"))?;
    decode("outbox row", bytes.value())
}

/// A row that left the outbox.
pub(super) fn sent(work: &mut Work<'_>, id: u128) -> Result<Option<OutboxRow>, StoreError> {
    let found = work.tables.sent()?.get(id)?;
    found.map(|bytes| decode("sent row", bytes.value())).transpose()
}

pub(super) fn put_sent(work: &mut Work<'_>, row: &OutboxRow) -> Result<(), StoreError> {
    let bytes = encode("sent row", row, usize::MAX)?;
    work.tables.sent()?.put(row.outbound.id.as_u128(), bytes.as_slice())?;
    if let Some(sid) = &row.outbound.sid {
        work.tables.sent_sids()?.put(sid_key(sid), row.outbound.id.as_u128())?;
    }
    Ok(())
}

/// The heads that may be sent now.
pub(super) fn due(work: &mut Work<'_>, limit: usize) -> Result<Vec<Outbound>, StoreError> {
    let places = work.index.queues.due(work.now, limit.min(work.limits.page_rows));
    places.into_iter().map(|seq| Ok(waiting(work, seq)?.outbound)).collect()
}

/// Messages that wait for their turn only are due at these times.
pub(super) fn hold(work: &mut Work<'_>, holds: &[(Uuid, Instant)]) {
    for (id, at) in holds {
        let slot = work.index.queues.find(id.as_u128());
        if slot.is_some_and(|slot| matches!(slot.waits, Waits::Until(_))) {
            work.index.queues.change(id.as_u128(), Waits::Until(*at));
        }
    }
}

/// Messages whose send was under way when the process died.
pub(super) fn unsettled(work: &mut Work<'_>) -> Result<Vec<Outbound>, StoreError> {
    let places = work.index.queues.unsettled();
    places.into_iter().map(|seq| Ok(waiting(work, seq)?.outbound)).collect()
}

/// Begins an attempt: durable before the request leaves, so that a crash is never taken for "not sent".
pub(super) fn start(work: &mut Work<'_>, id: Uuid) -> Result<Outbound, StoreError> {
    let slot = work
        .index
        .queues
        .find(id.as_u128())
        .ok_or(StoreError::NotFound("message in the outbox"))?;
    if !matches!(slot.waits, Waits::Until(_)) || !work.index.queues.is_head(&slot) {
        return Err(StoreError::Conflict {
            what: "message",
            wanted: "the next of its recipient",
        });
    }
    let mut row = waiting(work, slot.seq)?;
    row.outbound.delivery = Delivery::Sending;
    row.outbound.attempts = row.outbound.attempts.saturating_add(1);
    row.outbound.updated_at = work.wall;
    keep(work, &row)?;
    work.index.queues.change(slot.id, Waits::Outcome);
    Ok(row.outbound)
}

/// How an attempt ended. What a receipt has already told wins over what the sender believes.
pub(super) fn settle(work: &mut Work<'_>, id: Uuid, settle: Settle) -> Result<Outbound, StoreError> {
    if let Some(slot) = work.index.queues.find(id.as_u128()) {
        let row = waiting(work, slot.seq)?;
        return match settle {
            Settle::Accepted { sid } if row.past_sids.contains(&sid) => Ok(row.outbound),
            Settle::Accepted { sid } => accept(work, row, sid),
            other => react(work, row, other),
        };
    }
    let row = sent(work, id.as_u128())?.ok_or(StoreError::NotFound("message in the outbox"))?;
    match settle {
        Settle::Accepted { .. } => Ok(row.outbound),
        _ if row.outbound.delivery != Delivery::Failed => Ok(row.outbound),
        other => react(work, row, other),
    }
}

/// Twilio has it: it leaves the queue, and what was reported before its id was known applies now.
pub(super) fn accept(work: &mut Work<'_>, mut row: OutboxRow, sid: MessageSid) -> Result<Outbound, StoreError> {
    row.outbound.delivery = Delivery::Accepted;
    receipts::apply_early(work, &mut row, &sid)?;
    row.outbound.sid = Some(sid);
    leave(work, row)
}

/// Moves a row out of the queue, to those that were sent.
pub(super) fn leave(work: &mut Work<'_>, mut row: OutboxRow) -> Result<Outbound, StoreError> {
    row.outbound.updated_at = work.wall;
    row.window = false;
    withdraw(work, &row)?;
    put_sent(work, &row)?;
    work.wake_outbox = true;
    Ok(row.outbound)
}

/// Takes a row out of the queue, when it is there.
fn withdraw(work: &mut Work<'_>, row: &OutboxRow) -> Result<(), StoreError> {
    if work.index.queues.take(row.outbound.id.as_u128()).is_some() {
        work.tables.outbox()?.remove(row.seq)?;
    }
    Ok(())
}

/// The attempt did not succeed: the row goes back to its place, or to the dead letters.
fn react(work: &mut Work<'_>, mut row: OutboxRow, settle: Settle) -> Result<Outbound, StoreError> {
    let waits = match settle {
        Settle::Accepted { .. } => return Ok(row.outbound),
        Settle::Failed { code, reason } => return fail(work, row, code, reason),
        Settle::Retry { after, code, reason } => {
            row.note(code, Some(reason));
            Waits::Until(work.now + after)
        }
        Settle::Shrunk { body } => {
            row.outbound.message.body = body;
            row.outbound.shrunk = true;
            Waits::Until(work.now)
        }
        Settle::Templated { reason } => {
            row.note(None, Some(reason));
            row.outbound.templated = true;
            Waits::Until(work.now)
        }
        Settle::Window { reason } => {
            row.note(None, Some(reason));
            // Who is being answered has written already, while this was under way.
            let wrote = work.index.agenda.is_waiting(&row.outbound.message.conversation);
            if wrote {
                Waits::Until(work.now + WINDOW_PAUSE)
            } else {
                Waits::Window
            }
        }
    };
    // It may come from those that were sent.
    work.tables.sent()?.remove(row.outbound.id.as_u128())?;
    row.forget_sid();
    row.window = waits == Waits::Window;
    row.outbound.delivery = Delivery::Pending;
    row.outbound.updated_at = work.wall;
    keep(work, &row)?;
    work.index.queues.take(row.outbound.id.as_u128());
    work.index.queues.put(row.slot(waits));
    work.wake_outbox = true;
    Ok(row.outbound)
}

/// It can't be sent: a dead letter, and the recipient's next message may go.
pub(super) fn fail(
    work: &mut Work<'_>,
    mut row: OutboxRow,
    code: Option<String>,
    reason: String,
) -> Result<Outbound, StoreError> {
    row.note(code.clone(), Some(reason.clone()));
    row.outbound.delivery = Delivery::Failed;
    row.outbound.updated_at = work.wall;
    withdraw(work, &row)?;
    work.tables.sent()?.remove(row.outbound.id.as_u128())?;
    let letter = Dead::Outbound {
        outbound: Box::new(row.outbound.clone()),
    };
    dead::bury(work, code, reason, letter)?;
    work.wake_outbox = true;
    Ok(row.outbound)
}

/// A person has written: what waited for that is due.
pub(super) fn window_opens(work: &mut Work<'_>, conversation: &str) -> Result<(), StoreError> {
    for id in work.index.queues.in_window(conversation) {
        let Some(slot) = work.index.queues.find(id) else {
            continue;
        };
        let mut row = waiting(work, slot.seq)?;
        row.window = false;
        row.outbound.updated_at = work.wall;
        keep(work, &row)?;
        work.index.queues.change(id, Waits::Until(work.now));
        work.wake_outbox = true;
    }
    Ok(())
}

/// What has waited too long for its recipient to write is a dead letter.
pub(super) fn windows_end(work: &mut Work<'_>, before: jiff::Timestamp, limit: usize) -> Result<(), StoreError> {
    let ids: Vec<u128> = work.index.queues.windows().take(limit).collect();
    for id in ids {
        let Some(slot) = work.index.queues.find(id) else {
            continue;
        };
        let row = waiting(work, slot.seq)?;
        if row.outbound.updated_at < before {
            let (code, reason) = (row.outbound.error_code.clone(), row.outbound.reason.clone());
            fail(
                work,
                row,
                code,
                reason.unwrap_or_else(|| "the recipient has not written again".into()),
            )?;
        }
    }
    Ok(())
}

/// When the next head may be sent.
pub(super) fn next_due(work: &Work<'_>) -> Option<Instant> {
    work.index.queues.next_due()
}
