//! The figures of the operation, by the catalogue's definitions and nothing else.
//!
//! Every function takes the tasks to look at, so that zone, manager and site figures are the
//! same arithmetic. Checked against the demo operator: zone norte over 7 days is MTTR 4.2 h,
//! 45 active, 31 closed, 8 in breach.

use jiff::{SignedDuration, Timestamp};

use crate::domain::period::Span;
use crate::domain::records::Task;
use crate::domain::sets::TaskStatus;

/// Hours without movement after which an active task is ageing (`definitions.aging`).
pub const AGING_HOURS: f64 = 48.0;

const MILLIS_PER_HOUR: f64 = 3_600_000.0;

/// Hours from `earlier` to `later`, negative when they are the other way round.
pub fn hours_between(earlier: Timestamp, later: Timestamp) -> f64 {
    later.duration_since(earlier).as_secs_f64() / 3600.0
}

/// One decimal, as every figure in hours, km and percent is given.
pub fn one_decimal(figure: f64) -> f64 {
    (figure * 10.0).round() / 10.0
}

/// `closed_in`: closed (never cancelled) with a closing time inside the span.
pub fn closed_in(task: &Task, span: Span) -> bool {
    task.status == TaskStatus::Closed && task.closed_at.is_some_and(|at| span.contains(at))
}

/// The time from the creation to the closing of each task closed in the span.
pub fn closing_times<'a>(tasks: impl Iterator<Item = &'a Task>, span: Span) -> Vec<SignedDuration> {
    let closed = tasks.filter(|task| closed_in(task, span));
    closed
        .filter_map(|task| Some(task.closed_at?.duration_since(task.created_at)))
        .collect()
}

/// The mean in hours, None of nothing. Summed as whole milliseconds: a sum of hours would put
/// a mean of 8.65 on either side of its rounding.
pub fn mean_hours(times: &[SignedDuration]) -> Option<f64> {
    let total: i128 = times.iter().map(SignedDuration::as_millis).sum();
    // Sums of tasks' times are far below 2^52 milliseconds.
    (!times.is_empty()).then(|| total as f64 / (times.len() as f64 * MILLIS_PER_HOUR))
}

/// The middle one in hours, of an even number the mean of the two in the middle; None of nothing.
pub fn median_hours(mut times: Vec<SignedDuration>) -> Option<f64> {
    times.sort_unstable();
    let half = times.len() / 2;
    let from = if times.len() % 2 == 1 {
        half
    } else {
        half.checked_sub(1)?
    };
    mean_hours(times.get(from..=half)?)
}

/// `sla_compliance`: the tasks closed in a span, against their due time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compliance {
    /// Closed in the span.
    pub closed: u64,
    /// Of them, by their due time.
    pub on_time: u64,
    /// Of them, after it.
    pub late: u64,
}

impl Compliance {
    /// Counts.
    pub fn of<'a>(tasks: impl Iterator<Item = &'a Task>, span: Span, now: Timestamp) -> Self {
        let mut counts = Self::default();
        for task in tasks.filter(|task| closed_in(task, span)) {
            let late = exceeded_hours(task, now).is_some();
            counts.closed += 1;
            counts.late += u64::from(late);
            // One without a due time was not closed by it.
            counts.on_time += u64::from(!late && task.due_at.is_some());
        }
        counts
    }

    /// Percent, one decimal; None when nothing was closed.
    pub fn percent(self) -> Option<f64> {
        (self.closed > 0).then(|| one_decimal(100.0 * self.on_time as f64 / self.closed as f64))
    }
}

/// Hours past due: of an active task until now, of a closed one until its closing. None
/// while in time, and for a task without a due time.
pub fn exceeded_hours(task: &Task, now: Timestamp) -> Option<f64> {
    let due = task.due_at?;
    let until = match task.status {
        TaskStatus::Closed => task.closed_at?,
        TaskStatus::Cancelled => return None,
        _ => now,
    };
    (due < until).then(|| hours_between(due, until))
}

/// `sla_breach`: active past due, or closed in the span after its due time.
pub fn in_breach(task: &Task, span: Span, now: Timestamp) -> bool {
    (task.status.is_active() || closed_in(task, span)) && exceeded_hours(task, now).is_some()
}

/// `aging`: active, and not moved for more than `hours`.
pub fn is_aging(task: &Task, hours: f64, now: Timestamp) -> bool {
    task.status.is_active() && hours_between(task.updated_at, now) > hours
}

/// The figures of a set of tasks over a span.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Summary {
    /// Mean hours from creation to closing over `closed`, one decimal; None without any.
    pub mttr: Option<f64>,
    /// Active now.
    pub open: u64,
    /// Closed in the span.
    pub closed: u64,
    /// In breach of their SLA.
    pub sla_breach: u64,
}

/// Counts once over the tasks.
pub fn summary<'a>(tasks: impl Iterator<Item = &'a Task>, span: Span, now: Timestamp) -> Summary {
    let mut summary = Summary::default();
    let mut times = vec![];
    for task in tasks {
        summary.open += u64::from(task.status.is_active());
        summary.sla_breach += u64::from(in_breach(task, span, now));
        if let Some(closed_at) = task.closed_at.filter(|_| closed_in(task, span)) {
            summary.closed += 1;
            times.push(closed_at.duration_since(task.created_at));
        }
    }
    summary.mttr = mean_hours(&times).map(one_decimal);
    summary
}
