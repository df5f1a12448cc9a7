//! Dead letters: what could not be answered or sent, until the ops team retries or drops it.

use std::time::Duration;

use super::inbox::{self, InboxRow};
use super::outbox::{self, OutboxRow};
use super::tables::{decode, encode, sid_key};
use super::writer::Work;
use crate::domain::outbound::{Delivery, Outbound};
use crate::store::StoreError;
use crate::store::records::{Dead, DeadLetter};

/// Characters of a reason that are kept.
const REASON_CHARS: usize = 500;

/// Buries something; when there are too many, the oldest gives way.
pub(super) fn bury(work: &mut Work<'_>, code: Option<String>, reason: String, letter: Dead) -> Result<(), StoreError> {
    let id = work.index.number(work.wall);
    let reason = short(reason);
    let row = DeadLetter {
        id,
        at: work.wall,
        code,
        reason,
        letter,
    };
    // A letter is bounded by what it holds: a turn's messages were each within the limit when they came.
    let bytes = encode("dead letter", &row, usize::MAX)?;
    work.tables.dead()?.put(id, bytes.as_slice())?;
    work.index.dead += 1;
    if work.index.dead > u64::try_from(work.limits.dead_letters).unwrap_or(u64::MAX) {
        for oldest in work.tables.dead()?.some::<u64, _>(.., 1, |id, _| id)? {
            remove(work, oldest)?;
        }
    }
    Ok(())
}

/// A reason, cut to what is kept of it.
pub(super) fn short(reason: String) -> String {
    if reason.len() <= REASON_CHARS {
        reason
    } else {
        reason.chars().take(REASON_CHARS).collect()
    }
}

fn remove(work: &mut Work<'_>, id: u64) -> Result<bool, StoreError> {
    let was = work.tables.dead()?.remove(id)?;
    if was {
        work.index.dead = work.index.dead.saturating_sub(1);
    }
    Ok(was)
}

/// Drops a letter for good.
pub(super) fn drop_letter(work: &mut Work<'_>, id: u64) -> Result<(), StoreError> {
    if remove(work, id)? {
        Ok(())
    } else {
        Err(StoreError::NotFound("dead letter"))
    }
}

/// Gives a letter another five tries, at the end of its queue.
pub(super) fn retry(work: &mut Work<'_>, id: u64) -> Result<(), StoreError> {
    let found = work
        .tables
        .dead()?
        .get(id)?
        .map(|bytes| decode::<DeadLetter>("dead letter", bytes.value()));
    let letter = found.ok_or(StoreError::NotFound("dead letter"))??;
    match letter.letter {
        Dead::Inbound {
            conversation, messages, ..
        } => {
            remove(work, id)?;
            for message in messages {
                let (sid, origin) = (sid_key(&message.sid), message.origin);
                let row = InboxRow {
                    conversation: conversation.clone(),
                    message,
                };
                let bytes = encode("inbox row", &row, usize::MAX)?;
                inbox::enqueue(work, &conversation, sid, origin, Duration::ZERO, &bytes)?;
            }
        }
        Dead::Outbound { outbound } => {
            outbox::room(work, 1)?;
            remove(work, id)?;
            let past = outbound.sid.clone();
            let outbound = Outbound {
                delivery: Delivery::Pending,
                sid: None,
                attempts: 0,
                updated_at: work.wall,
                ..*outbound
            };
            let row = OutboxRow {
                past_sids: past.into_iter().collect(),
                ..OutboxRow::new(outbound)
            };
            outbox::put_waiting(work, row)?;
        }
    }
    Ok(())
}
