//! One task over time: what happened to it, what was written on it, its due time; and what a
//! site has behind it.

use crate::domain::answer::{Answer, Item, Severity};
use crate::domain::ids::CrewId;
use crate::domain::sets::EventKind;
use crate::tools::Output;
use crate::tools::answers::{EventRow, HistoryEntry, NoteRow, SiteHistory, TaskNotes, TaskSla, TaskTimeline};

use super::network::alarm_item;
use super::pen::{Pen, add, flat, item, plain_item, say, titled, word, word_or_itself};
use super::task_row::{Known, clocks, headline, task_item};
use super::what::{Form, beyond, period};

pub(super) fn timeline(pen: &Pen<'_>, answer: &TaskTimeline) -> Answer {
    let mut shown = titled(say(
        "timeline.title",
        &[
            ("n", &answer.total),
            ("id", &answer.task.id),
            ("title", &flat(&answer.task.name)),
        ],
    ));
    shown.items = answer
        .events
        .iter()
        .map(|event| plain_item(event_line(pen, event), Severity::Normal, None))
        .collect();
    shown.beyond = beyond(answer.total, answer.offset, answer.events.len());
    shown.suggestions = vec![say("ask.task", &[("id", &answer.task.id)])];
    shown
}

/// `29/11 07:41 asignada a Cuadrilla Norte 3 (Jorge Martínez)`
fn event_line(pen: &Pen<'_>, event: &EventRow) -> String {
    let text = flat(&event.text);
    let value = |value: &Option<String>| value.as_deref().map_or_else(|| say("unknown", &[]), |v| named(pen, v));
    let what = match event.kind {
        EventKind::Note => say("timeline.note", &[("text", &text)]),
        EventKind::Assigned if event.to.is_some() => say("timeline.assigned", &[("to", &value(&event.to))]),
        EventKind::Escalated if event.to.is_some() => say("timeline.escalated", &[("to", &value(&event.to))]),
        EventKind::Status if event.to.is_some() => say(
            "timeline.status",
            &[("from", &value(&event.from)), ("to", &value(&event.to))],
        ),
        kind => word("event", kind.as_str(), 1),
    };
    let at = pen.at(event.at);
    match &event.author {
        Some(author) => say(
            "timeline.line",
            &[("at", &at), ("what", &what), ("author", &flat(&author.name))],
        ),
        None => say("timeline.line_no_author", &[("at", &at), ("what", &what)]),
    }
}

/// A value of an event as people say it: a status, a crew's name, else as it stands.
fn named(pen: &Pen<'_>, value: &str) -> String {
    let crew = CrewId::parse(value).ok();
    if let Some(crew) = crew.and_then(|id| pen.cx.world.crew(&id)) {
        return flat(&crew.name);
    }
    word_or_itself("status", value)
}

pub(super) fn notes(pen: &Pen<'_>, answer: &TaskNotes) -> Answer {
    let title = say(
        "notes.title",
        &[
            ("n", &answer.total),
            ("id", &answer.task.id),
            ("title", &flat(&answer.task.name)),
        ],
    );
    if answer.total == 0 {
        return Answer::text(title);
    }
    let mut shown = titled(title);
    let notes = answer.notes.iter();
    shown.items = notes
        .map(|note| plain_item(note_line(pen, note), Severity::Normal, None))
        .collect();
    shown.beyond = beyond(answer.total, answer.offset, answer.notes.len());
    shown.suggestions = vec![say("ask.task", &[("id", &answer.task.id)])];
    shown
}

/// `29/11 07:41 Rodrigo Sepúlveda: Se mide 20 dBm (2 archivos)`
pub(super) fn note_line(pen: &Pen<'_>, note: &NoteRow) -> String {
    let (at, text) = (pen.at(note.at), flat(&note.text));
    let line = match &note.author {
        Some(author) => say(
            "field.note",
            &[("at", &at), ("author", &flat(&author.name)), ("text", &text)],
        ),
        None => say("field.note_no_author", &[("at", &at), ("text", &text)]),
    };
    if note.media.is_empty() {
        return line;
    }
    let files = say("notes.files", &[("n", &note.media.len())]);
    say("notes.with_files", &[("line", &line), ("files", &files)])
}

pub(super) fn sla(pen: &Pen<'_>, answer: &TaskSla) -> Answer {
    let task = &answer.task;
    let mut shown = Answer::text(headline(task));
    add(&mut shown, clocks(pen, task).join(" "));
    let criticality = word("criticality", task.criticality.as_str(), 1);
    add(
        &mut shown,
        say(
            "sla.of_criticality",
            &[("criticality", &criticality), ("hours", &answer.sla_hours)],
        ),
    );
    shown.suggestions = vec![
        say("ask.task", &[("id", &task.id)]),
        say("ask.history_of_task", &[("id", &task.id)]),
    ];
    shown
}

pub(super) fn of_site(pen: &Pen<'_>, answer: &SiteHistory, output: &Output) -> Answer {
    let site = say(
        "site.title",
        &[("id", &answer.site.id), ("name", &flat(&answer.site.name))],
    );
    let period = period(pen, output.params.get("period"), answer.from, answer.to, Form::Alone);
    let title = say("history.title", &[("site", &site), ("period", &period)]);
    let counts = say(
        "history.counts",
        &[
            ("tasks", &say("history.tasks", &[("n", &answer.closed_tasks)])),
            ("alarms", &say("history.alarms", &[("n", &answer.cleared_alarms)])),
        ],
    );
    let mut shown = titled(title).line(counts);
    // The order is by time: all weigh the same.
    shown.items = answer
        .entries
        .iter()
        .map(|entry| Item {
            severity: Severity::Normal,
            ..history_item(pen, entry)
        })
        .collect();
    shown.beyond = beyond(answer.total, answer.offset, answer.entries.len());
    shown.suggestions = super::sites::site_suggestions(&answer.site.id);
    shown
}

fn history_item(pen: &Pen<'_>, entry: &HistoryEntry) -> Item {
    const AT_SITE: Known = Known {
        criticality: false,
        status: false,
        site: true,
        unmanaged: false,
    };
    match entry {
        HistoryEntry::Task(task) => task_item(pen, task, AT_SITE),
        HistoryEntry::Alarm(alarm) => {
            let told = alarm_item(pen, alarm, true);
            item(told.text, Severity::Normal, &alarm.id)
        }
    }
}
