//! One task: its row in a list, and where it stands.

use jiff::Timestamp;

use crate::domain::answer::{Answer, Item};
use crate::domain::sets::TaskStatus;
use crate::tools::answers::{Holder, TaskRow, TaskStanding};

use super::pen::{Pen, add, duration, flat, item, say, severity_of, word};

/// What a row leaves out because the whole list has it.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) criticality: bool,
    pub(super) status: bool,
    pub(super) site: bool,
    pub(super) unmanaged: bool,
}

impl Known {
    /// All of them are critical.
    pub(super) const CRITICALITY: Self = Self {
        criticality: true,
        status: false,
        site: false,
        unmanaged: false,
    };
}

pub(super) fn standing(pen: &Pen<'_>, answer: &TaskStanding) -> Answer {
    let task = &answer.task;
    let mut shown = Answer::text(headline(task));
    add(
        &mut shown,
        say(
            "standing.where",
            &[
                ("site", &task.site_id),
                ("name", &flat(&task.site_name)),
                ("zone", &task.zone),
            ],
        ),
    );
    add(&mut shown, held(pen, task));
    add(&mut shown, clocks(pen, task).join(" "));
    shown.suggestions = vec![
        say("ask.task", &[("id", &task.id)]),
        say("ask.status_of_site", &[("id", &task.site_id)]),
    ];
    shown
}

/// `T-10001 estancada, crítica: Alta temperatura en sala`.
pub(super) fn headline(task: &TaskRow) -> String {
    say(
        "standing.first",
        &[
            ("id", &task.id),
            ("status", &word("status", task.status.as_str(), 1)),
            ("criticality", &word("criticality", task.criticality.as_str(), 1)),
            ("title", &flat(&task.title)),
        ],
    )
}

/// Who has it, and its manager when that is somebody else.
pub(super) fn held(pen: &Pen<'_>, task: &TaskRow) -> String {
    let name = |key| {
        task.held_by
            .who
            .as_ref()
            .map_or_else(|| say(key, &[]), |who| flat(&who.name))
    };
    let held = |who: String| say("standing.held", &[("who", &who)]);
    let mut parts = vec![match task.held_by.kind {
        Holder::Technician | Holder::Crew => held(name("standing.technician")),
        Holder::Manager => held(name("standing.manager")),
        Holder::Nobody => say("standing.nobody", &[]),
    }];
    match &task.manager {
        _ if task.held_by.kind == Holder::Manager => {}
        Some(manager) => parts.push(say("standing.manager_line", &[("name", &flat(&manager.name))])),
        None if !task.managed => parts.push(say("standing.no_manager", &[])),
        // A guest is not told who, but neither that there is nobody.
        None => debug_assert!(pen.cx.caller.is_guest()),
    }
    parts.join(" ")
}

/// Its age and where it stands with its SLA.
pub(super) fn clocks(pen: &Pen<'_>, task: &TaskRow) -> Vec<String> {
    let at = |instant: Timestamp| pen.at_zone(instant, &task.zone);
    let mut parts = vec![];
    match task.status {
        TaskStatus::Closed => match (task.closed_at, task.took_h) {
            (Some(closed), Some(took)) => {
                parts.push(say(
                    "standing.closed",
                    &[("at", &at(closed)), ("time", &duration(took))],
                ));
                parts.push(match (task.overdue_h, task.due_at) {
                    (Some(late), _) => say("standing.closed_late", &[("time", &duration(late))]),
                    (None, Some(_)) => say("standing.closed_on_time", &[]),
                    (None, None) => say("standing.no_due", &[]),
                });
            }
            _ => parts.push(say("standing.closed_unknown", &[])),
        },
        TaskStatus::Cancelled => parts.push(say("standing.cancelled", &[])),
        _ => {
            parts.extend(task.age_h.map(|h| say("standing.age", &[("time", &duration(h))])));
            parts.extend(task.idle_h.map(|h| say("standing.still", &[("time", &duration(h))])));
            parts.push(match (task.overdue_h, task.remaining_h, task.due_at) {
                (Some(over), _, Some(due)) => say("standing.overdue", &[("time", &duration(over)), ("at", &at(due))]),
                (_, Some(left), Some(due)) => say("standing.remaining", &[("time", &duration(left)), ("at", &at(due))]),
                _ => say("standing.no_due", &[]),
            });
        }
    }
    if task.escalation_level > 0 && task.status.is_active() {
        parts.push(say("standing.escalated", &[("level", &task.escalation_level)]));
    }
    parts
}

/// A task of a list, in two lines.
pub(super) fn task_item(pen: &Pen<'_>, task: &TaskRow, known: Known) -> Item {
    let title = flat(&task.title);
    let head = if known.site {
        say("tasks.head_no_site", &[("id", &task.id), ("title", &title)])
    } else {
        say(
            "tasks.head",
            &[("id", &task.id), ("title", &title), ("site", &task.site_id)],
        )
    };
    let mut parts = vec![];
    if !known.criticality {
        parts.push(word("criticality", task.criticality.as_str(), 1));
    }
    parts.extend(state(pen, task, known));
    if task.status.is_active() {
        parts.extend(deadline(task));
        if task.escalation_level > 0 {
            parts.push(say("tasks.escalated", &[("level", &task.escalation_level)]));
        }
        if !task.managed && !known.unmanaged {
            parts.push(say("tasks.unmanaged", &[]));
        }
    }
    item(
        format!("{head}\n{}", parts.join(", ")),
        severity_of(task.criticality),
        &task.id,
    )
}

fn state(pen: &Pen<'_>, task: &TaskRow, known: Known) -> Option<String> {
    match (task.status, task.idle_h, task.closed_at, task.took_h) {
        (TaskStatus::Stalled, Some(idle), ..) => Some(say("tasks.stalled_for", &[("time", &duration(idle))])),
        (TaskStatus::Closed, _, Some(at), Some(took)) => {
            let at = pen.at_zone(at, &task.zone);
            Some(say("tasks.closed_at", &[("at", &at), ("time", &duration(took))]))
        }
        (status, ..) => (!known.status).then(|| word("status", status.as_str(), 1)),
    }
}

fn deadline(task: &TaskRow) -> Option<String> {
    match (task.overdue_h, task.remaining_h) {
        (Some(over), _) => Some(say("tasks.overdue", &[("time", &duration(over))])),
        (None, Some(left)) => Some(say("tasks.due_in", &[("time", &duration(left))])),
        (None, None) => Some(say("tasks.no_due", &[])),
    }
}
