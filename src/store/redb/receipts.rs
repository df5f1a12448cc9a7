//! Delivery receipts: they come in any order, repeatedly, and sometimes before the answer to the send.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::outbox::{self, OutboxRow};
use super::queues::Slot;
use super::tables::{decode, encode, sid_key};
use super::writer::Work;
use crate::domain::message::MessageSid;
use crate::domain::outbound::Delivery;
use crate::store::StoreError;
use crate::store::delivery::{Receipt, Receipted};

/// A receipt for a message that is not known yet; several are one, the highest.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EarlyRow {
    pub at: Timestamp,
    delivery: Delivery,
    #[serde(default)]
    error_code: Option<String>,
    #[serde(default)]
    reason: Option<String>,
}

/// May a delivery go from one state to the other? Never down; what failed stays failed, and what
/// has reached the phone can't fail any more.
pub(super) fn rises(from: Delivery, to: Delivery) -> bool {
    match (from, to) {
        (Delivery::Failed, _) | (Delivery::Delivered | Delivery::Read, Delivery::Failed) => false,
        (from, to) => to > from,
    }
}

/// Applies a receipt.
pub(super) fn receipt(work: &mut Work<'_>, receipt: Receipt) -> Result<Receipted, StoreError> {
    let ours = receipt.outbox.map(|id| id.as_u128());
    if let Some(slot) = ours.and_then(|id| work.index.queues.find(id)) {
        return to_waiting(work, slot, receipt);
    }
    let by_sid = work
        .tables
        .sent_sids()?
        .get(sid_key(&receipt.sid))?
        .map(|id| id.value());
    for id in ours.into_iter().chain(by_sid) {
        if let Some(row) = outbox::sent(work, id)? {
            return to_sent(work, row, receipt);
        }
        if let Some(slot) = work.index.queues.find(id) {
            return to_waiting(work, slot, receipt);
        }
    }
    keep_early(work, receipt)?;
    Ok(Receipted::Unknown)
}

/// The message is in the queue: the receipt tells of a send whose answer we do not have (yet). It
/// counts as the answer, unless it is about an earlier attempt.
fn to_waiting(work: &mut Work<'_>, slot: Slot, receipt: Receipt) -> Result<Receipted, StoreError> {
    let mut row = outbox::waiting(work, slot.seq)?;
    let failed = receipt.delivery == Delivery::Failed;
    let sending = row.outbound.delivery == Delivery::Sending;
    if row.past_sids.contains(&receipt.sid) || failed && !sending || receipt.delivery < Delivery::Accepted {
        return Ok(Receipted::Stale);
    }
    row.note(receipt.error_code, receipt.reason);
    row.outbound.delivery = receipt.delivery;
    apply_early(work, &mut row, &receipt.sid)?;
    row.outbound.sid = Some(receipt.sid);
    Ok(Receipted::Applied(Box::new(outbox::leave(work, row)?)))
}

/// The message was sent.
fn to_sent(work: &mut Work<'_>, mut row: OutboxRow, receipt: Receipt) -> Result<Receipted, StoreError> {
    if row.past_sids.contains(&receipt.sid) {
        return Ok(Receipted::Stale);
    }
    let before = row.clone();
    let rises = rises(row.outbound.delivery, receipt.delivery);
    if rises || row.outbound.delivery == receipt.delivery {
        row.note(receipt.error_code, receipt.reason);
    }
    if rises {
        row.outbound.delivery = receipt.delivery;
    }
    if row.outbound.sid.is_none() {
        row.outbound.sid = Some(receipt.sid);
    }
    if row == before {
        return Ok(Receipted::Stale);
    }
    row.outbound.updated_at = work.wall;
    outbox::put_sent(work, &row)?;
    Ok(if rises {
        Receipted::Applied(Box::new(row.outbound))
    } else {
        Receipted::Stale
    })
}

/// Applies what was reported before the id was known.
pub(super) fn apply_early(work: &mut Work<'_>, row: &mut OutboxRow, sid: &MessageSid) -> Result<(), StoreError> {
    let key = sid_key(sid);
    let early = work
        .tables
        .early()?
        .get(key)?
        .map(|bytes| decode::<EarlyRow>("early receipt", bytes.value()));
    let Some(early) = early.transpose()? else { return Ok(()) };
    work.tables.early()?.remove(key)?;
    if rises(row.outbound.delivery, early.delivery) {
        row.outbound.delivery = early.delivery;
        row.note(early.error_code, early.reason);
    }
    Ok(())
}

fn keep_early(work: &mut Work<'_>, receipt: Receipt) -> Result<(), StoreError> {
    let key = sid_key(&receipt.sid);
    let old = work
        .tables
        .early()?
        .get(key)?
        .map(|bytes| decode::<EarlyRow>("early receipt", bytes.value()));
    let mut row = match old.transpose()? {
        Some(old) => old,
        None if work.tables.early()?.count()? >= work.limits.early_receipts => return Ok(()),
        None => EarlyRow {
            at: work.wall,
            delivery: Delivery::Pending,
            error_code: None,
            reason: None,
        },
    };
    if rises(row.delivery, receipt.delivery) {
        row.delivery = receipt.delivery;
    }
    row.error_code = receipt.error_code.or(row.error_code);
    row.reason = receipt.reason.or(row.reason);
    let bytes = encode("early receipt", &row, work.limits.row_bytes)?;
    work.tables.early()?.put(key, bytes.as_slice())
}
