//! Writes: what would change, from what to what; and what has changed.
//!
//! A preview never sounds like something done, and what is done is said only of an outcome that
//! the ledger holds.

use serde_json::Value;

use crate::domain::answer::Answer;
use crate::domain::ids::TaskId;
use crate::domain::sets::{TaskAction, TaskStatus};
use crate::format::phrases;
use crate::tools::answers::{NewTask, NotePreview, TaskFacts, TaskUpdate};
use crate::tools::{Cx, Output};

use super::pen::{Pen, add, duration, flat, list, say, titled, word};
use super::task_row::headline;

pub(super) fn update(pen: &Pen<'_>, preview: &TaskUpdate) -> Answer {
    let task = &preview.task;
    let mut shown = titled(say(&format!("write.title.{}", what(preview)), &[("id", &task.id)]));
    add(&mut shown, headline(task));
    add(
        &mut shown,
        say(
            "write.where",
            &[("site", &task.site_id), ("name", &flat(&task.site_name))],
        ),
    );
    for line in changes(&preview.from, &preview.to) {
        add(&mut shown, line);
    }
    if let Some(reason) = &preview.reason {
        add(&mut shown, say("write.reason", &[("text", &flat(reason))]));
    }
    if let Some(line) = distance(preview) {
        add(&mut shown, line);
    }
    if !preview.lacks.is_empty() {
        let lacks: Vec<String> = preview
            .lacks
            .iter()
            .map(|lack| say(&format!("write.lack.{}", lack.key()), &[]))
            .collect();
        add(&mut shown, say("write.lacks", &[("list", &list(&lacks))]));
    }
    let _ = pen;
    shown
}

/// What is done, by its key among the phrases.
fn what(preview: &TaskUpdate) -> String {
    match preview.action {
        Some(action) => action.as_str().to_owned(),
        None if !preview.from.status.is_active() => "reopen".to_owned(),
        None => match preview.to.status {
            TaskStatus::Closed => "close".to_owned(),
            TaskStatus::Cancelled => "cancel".to_owned(),
            _ => "status".to_owned(),
        },
    }
}

/// `Estado: estancada → cerrada`, one line for each thing that differs.
fn changes(from: &TaskFacts, to: &TaskFacts) -> Vec<String> {
    let arrow = |what: &str, from: String, to: String| {
        say(
            "write.from_to",
            &[
                ("what", &say(&format!("write.what.{what}"), &[])),
                ("from", &from),
                ("to", &to),
            ],
        )
    };
    let who = |named: Option<&crate::tools::rows::Named>| {
        named.map_or_else(|| say("write.nobody", &[]), |named| flat(&named.name))
    };
    let mut lines = Vec::new();
    if from.status != to.status {
        lines.push(arrow(
            "status",
            word("status", from.status.as_str(), 1),
            word("status", to.status.as_str(), 1),
        ));
    }
    if from.held_by != to.held_by {
        lines.push(arrow(
            "holder",
            who(from.held_by.who.as_ref()),
            who(to.held_by.who.as_ref()),
        ));
    }
    if from.manager != to.manager {
        lines.push(arrow("manager", who(from.manager.as_ref()), who(to.manager.as_ref())));
    }
    if from.escalation_level != to.escalation_level {
        lines.push(arrow(
            "level",
            from.escalation_level.to_string(),
            to.escalation_level.to_string(),
        ));
    }
    lines
}

/// How far the person is from the site; a warning when that is not there.
fn distance(preview: &TaskUpdate) -> Option<String> {
    let km = preview.distance_km?;
    let figure = match preview.distance_m {
        Some(metres) => say("write.metres", &[("n", &metres)]),
        None => say("write.km", &[("n", &km)]),
    };
    let far = preview.action == Some(TaskAction::Arrived) && preview.at_site == Some(false);
    let key = if far { "write.far" } else { "write.distance" };
    Some(say(key, &[("distance", &figure), ("site", &preview.task.site_id)]))
}

pub(super) fn note(_: &Pen<'_>, preview: &NotePreview) -> Answer {
    let mut shown = titled(say("write.title.note", &[("id", &preview.task.id)]));
    add(&mut shown, headline(&preview.task));
    add(&mut shown, say("write.note", &[("text", &flat(&preview.text))]));
    if preview.files > 0 {
        add(&mut shown, say("write.files", &[("n", &preview.files)]));
    }
    shown
}

pub(super) fn create(pen: &Pen<'_>, preview: &NewTask) -> Answer {
    let mut shown = titled(say("write.title.create", &[("site", &preview.site.id)]));
    add(&mut shown, flat(&preview.title));
    add(
        &mut shown,
        say(
            "write.where",
            &[("site", &preview.site.id), ("name", &flat(&preview.site.name))],
        ),
    );
    add(
        &mut shown,
        say(
            "write.new",
            &[
                ("criticality", &word("criticality", preview.criticality.as_str(), 1)),
                ("work_type", &word("work_type", preview.work_type.as_str(), 1)),
            ],
        ),
    );
    let due = pen.at_zone(preview.due_at, &preview.zone);
    add(
        &mut shown,
        say("write.sla", &[("n", &preview.sla_hours), ("due", &due)]),
    );
    if let Some(crew) = &preview.crew {
        add(
            &mut shown,
            say("write.crew", &[("id", &crew.id), ("name", &flat(&crew.name))]),
        );
    }
    if let Some(text) = &preview.description {
        add(&mut shown, say("write.description", &[("text", &flat(text))]));
    }
    if !preview.alike.is_empty() {
        add(&mut shown, say("write.alike", &[("n", &preview.alike.len())]));
        for task in &preview.alike {
            let age = task.age_h.map_or_else(String::new, duration);
            add(
                &mut shown,
                say("write.alike_row", &[("task", &headline(task)), ("age", &age)]),
            );
        }
    }
    shown
}

/// One line that names a preview: in a reminder, and for whoever lists what is pending.
pub fn summary(tool: &str, output: &Output) -> Option<String> {
    let text = |path: &str| output.value.pointer(path).and_then(Value::as_str).unwrap_or_default();
    match tool {
        "update_task_status" => {
            let preview: TaskUpdate = serde_json::from_value(output.value.clone()).ok()?;
            let title = say(&format!("write.title.{}", what(&preview)), &[("id", &preview.task.id)]);
            let changes = changes(&preview.from, &preview.to);
            Some(match changes.as_slice() {
                [] => title,
                some => say("write.summary", &[("what", &title), ("changes", &some.join(", "))]),
            })
        }
        "add_task_note" => {
            let title = say("write.title.note", &[("id", &text("/task/id"))]);
            Some(say(
                "write.summary_text",
                &[("what", &title), ("text", &flat(text("/text")))],
            ))
        }
        "create_field_task" => {
            let title = say("write.title.create", &[("site", &text("/site/id"))]);
            Some(say(
                "write.summary_text",
                &[("what", &title), ("text", &flat(text("/title")))],
            ))
        }
        _ => None,
    }
}

/// What an executed write came to; `reference` is what the system calls it.
pub fn done(tool: &str, params: &Value, reference: &str, cx: &Cx<'_>) -> Answer {
    let argument = |name: &str| params.get(name).and_then(Value::as_str).unwrap_or_default();
    let known = TaskId::parse(reference).ok().and_then(|id| cx.world.task(&id));
    let pen = Pen::new(*cx, known.map(|task| task.zone.clone()));
    let files = params.get("media_ids").and_then(Value::as_array).map_or(0, Vec::len);
    let key = match (tool, argument("action"), argument("status")) {
        ("update_task_status", "", status) => format!("write.done.{status}"),
        ("update_task_status", action, _) => format!("write.done.{action}"),
        ("add_task_note", ..) if files > 0 => "write.done.note_files".to_owned(),
        ("add_task_note", ..) => "write.done.note".to_owned(),
        _ => format!("write.done.{tool}"),
    };
    let key = if phrases().has(&format!("tools.{key}")) {
        key
    } else {
        "write.done.other".to_owned()
    };
    let site = known.map(|task| task.site_id.to_string()).unwrap_or_default();
    let level = known.map(|task| task.escalation_level.to_string()).unwrap_or_default();
    let to = known.and_then(|task| cx.world.panel_row(&task.id)?.escalated_to.clone());
    let to = to
        .and_then(|id| cx.world.employee(&id).map(|person| person.name.clone()))
        .map_or_else(String::new, |name| say("write.done.to", &[("name", &flat(&name))]));
    let due = known
        .and_then(|task| task.due_at)
        .map(|due| pen.at(due))
        .unwrap_or_default();
    let mut shown = Answer::text(say(
        &key,
        &[
            ("id", &reference),
            ("site", &site),
            ("level", &level),
            ("to", &to),
            ("due", &due),
            ("n", &files),
        ],
    ));
    if known.is_some() {
        shown.suggestions = vec![say("ask.task", &[("id", &reference)])];
    }
    shown
}
