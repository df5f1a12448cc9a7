//! Tidying: what is older than its limit goes, a few rows at a time, between the batches.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::conversations;
use super::dead;
use super::inbox::seconds;
use super::outbox::{self, OutboxRow};
use super::receipts::EarlyRow;
use super::tables::{SidKey, decode, sid_key};
use super::writer::{Job, Work};
use crate::store::{StoreError, StoreLimits};

/// When to tidy.
#[derive(Debug)]
pub(super) struct Sweeper {
    next: Instant,
}

impl Sweeper {
    pub fn new(limits: &StoreLimits) -> Self {
        Self {
            next: Instant::now() + Duration::from_millis(limits.sweep_every_ms),
        }
    }

    /// A round of tidying, when it is time for one.
    pub fn due(&mut self, now: Instant, limits: &StoreLimits) -> Option<Job> {
        if now < self.next {
            return None;
        }
        self.next = now + Duration::from_millis(limits.sweep_every_ms);
        Some(Box::new(|work| {
            let work = work.ok()?;
            if let Err(error) = sweep(work) {
                if error.is_fatal() {
                    work.fatal = Some(error);
                } else {
                    tracing::error!(store.error = error.code(), "the store could not be tidied");
                }
            }
            None
        }))
    }
}

/// One round.
pub(super) fn sweep(work: &mut Work<'_>) -> Result<(), StoreError> {
    let (now, limits, rows) = (work.wall, work.limits, work.limits.sweep_rows);
    old_sids(work, seconds(days_before(now, limits.sids_kept_days)), rows)?;
    old_sent(work, days_before(now, limits.sent_kept_days), rows)?;
    old_conversations(work, days_before(now, limits.conversations_kept_days), rows)?;
    old_dead(work, days_before(now, limits.dead_kept_days), rows)?;
    old_early(work, rows)?;
    outbox::windows_end(work, days_before(now, limits.window_wait_days), rows)
}

fn days_before(now: Timestamp, days: u32) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(i64::from(days) * 24))
        .unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Message ids are random, so each round goes on from where the last one stopped.
fn old_sids(work: &mut Work<'_>, before: u32, rows: usize) -> Result<(), StoreError> {
    let from = work.index.swept_sids;
    let seen = work
        .tables
        .sids()?
        .some::<SidKey, _>(from.., rows, |sid, second| (sid, second))?;
    work.index.swept_sids = match seen.last() {
        Some((last, _)) if seen.len() == rows => *last,
        _ => [0; 17],
    };
    for (sid, _) in seen.iter().filter(|(_, second)| *second < before) {
        work.tables.sids()?.remove(*sid)?;
    }
    Ok(())
}

/// Our ids begin with the millisecond of their making.
fn old_sent(work: &mut Work<'_>, before: Timestamp, rows: usize) -> Result<(), StoreError> {
    let end = u128::try_from(before.as_millisecond()).unwrap_or_default() << 80;
    let old = work
        .tables
        .sent()?
        .some::<u128, _>(..end, rows, |id, bytes| (id, bytes.to_vec()))?;
    for (id, bytes) in old {
        if let Ok(row) = decode::<OutboxRow>("sent row", &bytes) {
            for sid in row.outbound.sid.iter().chain(&row.past_sids) {
                work.tables.sent_sids()?.remove(sid_key(sid))?;
            }
        }
        work.tables.sent()?.remove(id)?;
    }
    Ok(())
}

fn old_conversations(work: &mut Work<'_>, before: Timestamp, rows: usize) -> Result<(), StoreError> {
    let end = u64::try_from(before.as_microsecond()).unwrap_or_default();
    let old = work
        .tables
        .recent()?
        .some::<(u64, &str), _>(..(end, ""), rows, |(at, id), ()| (at, id.to_owned()))?;
    for (at, id) in old {
        conversations::forget(work, at, &id)?;
    }
    Ok(())
}

fn old_dead(work: &mut Work<'_>, before: Timestamp, rows: usize) -> Result<(), StoreError> {
    let end = u64::try_from(before.as_microsecond()).unwrap_or_default();
    for id in work.tables.dead()?.some::<u64, _>(..end, rows, |id, _| id)? {
        dead::drop_letter(work, id)?;
    }
    Ok(())
}

fn old_early(work: &mut Work<'_>, rows: usize) -> Result<(), StoreError> {
    let kept = SignedDuration::from_mins(i64::from(work.limits.early_receipts_kept_minutes));
    let before = work.wall.checked_sub(kept).unwrap_or(Timestamp::UNIX_EPOCH);
    let seen = work
        .tables
        .early()?
        .some::<SidKey, _>(.., rows, |sid, bytes| (sid, bytes.to_vec()))?;
    for (sid, bytes) in seen {
        if decode::<EarlyRow>("early receipt", &bytes).map_or(true, |row| row.at < before) {
            work.tables.early()?.remove(sid)?;
        }
    }
    Ok(())
}
