//! What a list was asked for, in words: `críticas estancadas en zona norte`.

use jiff::Timestamp;
use serde_json::Value;

use crate::domain::sets::{Criticality, StatusFilter};
use crate::tools::Output;

use super::pen::{Pen, flat, say, word};

/// What the tasks are, from the status to the kind of work: `críticas estancadas`.
pub(super) fn what_tasks(pen: &Pen<'_>, status: StatusFilter, output: &Output, n: u64) -> Vec<String> {
    let mut what = vec![];
    let criticality = given(output, "criticality").and_then(|c| c.parse::<Criticality>().ok());
    if let Some(Criticality::Critical) = criticality {
        what.push(word("criticality", "critical", plural(n)));
    }
    what.extend(given(output, "work_type").map(|work| word("work_type", work, plural(n))));
    what.extend(status_word(status, n));
    if let Some(other) = criticality.filter(|c| *c != Criticality::Critical) {
        let name = word("criticality", other.as_str(), 1);
        what.push(say("criticality.of", &[("criticality", &name)]));
    }
    what.extend(text_and_dates(pen, status, output));
    what
}

/// `active`, `stalled`, …; every status needs no word.
pub(super) fn status_word(status: StatusFilter, n: u64) -> Option<String> {
    (status != StatusFilter::Any).then(|| word("status", status.as_str(), plural(n)))
}

/// *No hay tareas* takes the plural.
pub(super) fn plural(n: u64) -> u64 {
    if n == 0 { 2 } else { n }
}

fn text_and_dates(pen: &Pen<'_>, status: StatusFilter, output: &Output) -> Vec<String> {
    let day = |key: &str| given(output, key).map(|text| pen.moment(text));
    let period = match (day("date_from"), day("date_to")) {
        (Some(from), Some(to)) if from == to => Some(say("period.day", &[("day", &from)])),
        (Some(from), Some(to)) => Some(say("period.range", &[("from", &from), ("to", &to)])),
        (Some(from), None) => Some(say("period.since", &[("from", &from)])),
        (None, Some(to)) => Some(say("period.until", &[("to", &to)])),
        (None, None) => None,
    };
    let key = if status == StatusFilter::Closed {
        "tasks.dated"
    } else {
        "tasks.created"
    };
    let dated = period.map(|period| say(key, &[("period", &period)]));
    let text = given(output, "text").map(|text| say("tasks.with_text", &[("text", &flat(text))]));
    dated.into_iter().chain(text).collect()
}

/// Where, and whose.
pub(super) fn place(pen: &Pen<'_>, output: &Output) -> Vec<String> {
    let manager = given(output, "manager").and_then(|id| pen.cx.world.employee(&id.parse().ok()?));
    let parts = [
        given(output, "site_id").map(|site| say("tasks.at_site", &[("site", &site)])),
        given(output, "place").map(|place| say("tasks.in_place", &[("place", &flat(place))])),
        given(output, "zone").map(in_zone),
        manager.map(|e| say("tasks.of_manager", &[("name", &flat(&e.name))])),
        given(output, "crew_id").map(|crew| say("tasks.of_crew", &[("crew", &crew)])),
    ];
    parts.into_iter().flatten().collect()
}

pub(super) fn in_zone(zone: &str) -> String {
    let zone = say("zone.name", &[("zone", &zone)]);
    say("tasks.in_zone", &[("zone", &zone)])
}

/// How a period is said: `últimos 7 días`, or `en los últimos 7 días`.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// On its own.
    Alone,
    /// After *creadas*, *cerradas*.
    InSentence,
}

/// A period as it was asked for.
pub(super) fn period(pen: &Pen<'_>, asked: Option<&Value>, from: Timestamp, to: Timestamp, form: Form) -> String {
    let rolling = asked.and_then(Value::as_str).and_then(|text| {
        let n: u64 = text.trim_end_matches(['h', 'd']).parse().ok()?;
        let key = match (text.ends_with('d'), form) {
            (true, Form::Alone) => "period.days",
            (false, Form::Alone) => "period.hours",
            (true, Form::InSentence) => "period.in_days",
            (false, Form::InSentence) => "period.in_hours",
        };
        Some(say(key, &[("n", &n)]))
    });
    rolling.unwrap_or_else(|| match (pen.day(from), pen.day(to)) {
        (from, to) if from == to => say("period.day", &[("day", &from)]),
        (from, to) => say("period.range", &[("from", &from), ("to", &to)]),
    })
}

/// A string argument as resolved.
pub(super) fn given<'o>(output: &'o Output, key: &str) -> Option<&'o str> {
    output.params.get(key).and_then(Value::as_str)
}

/// Parts of a sentence with a space before each.
pub(super) fn joined(parts: &[String]) -> String {
    parts.iter().map(|part| format!(" {part}")).collect()
}

/// Rows that match beyond those passed over and listed.
pub(super) fn beyond(total: u64, offset: u64, listed: usize) -> u64 {
    let listed = u64::try_from(listed).unwrap_or(u64::MAX);
    total.saturating_sub(offset.saturating_add(listed))
}
