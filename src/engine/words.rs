//! The engine's own sentences: what it can do, what arrived, what it could not do.

use crate::domain::answer::{Answer, Item, Line, Severity};
use crate::domain::caller::Caller;
use crate::domain::sets::Role;
use crate::format::phrases;
use crate::guardrails::Reason;

use super::memory::{Choice, Does};
use super::turn::{Kind, Turn};

/// Buttons of one message.
const BUTTONS_MAX: usize = 3;

/// A finished text as an answer, line by line.
pub fn lines(text: &str) -> Answer {
    let lead = text.lines().map(|line| Line {
        text: line.to_owned(),
        title: false,
    });
    Answer {
        lead: lead.collect(),
        ..Answer::default()
    }
}

/// A cap of the turn was reached.
pub fn cap(reason: Reason) -> Answer {
    Answer::text(phrases().say(&format!("engine.cap.{}", reason.as_str()), &[]))
}

/// A tool that this build does not have.
pub fn no_tool() -> Answer {
    Answer::text(phrases().say("engine.no_tool", &[]))
}

/// The choices as a numbered list under a line.
pub fn menu(lead: String, choices: &[Choice]) -> Answer {
    let items = choices.iter().map(|choice| Item {
        text: choice.label.clone(),
        severity: Severity::Normal,
        group: None,
        subject: None,
        numbered: true,
    });
    // A number fits every button; more than three buttons fit no message.
    let buttons = if choices.len() <= BUTTONS_MAX { choices.len() } else { 0 };
    Answer {
        items: items.collect(),
        suggestions: (1..=buttons).map(|n| n.to_string()).collect(),
        ..Answer::text(lead)
    }
}

/// What relevo can do for this person: an opening line and examples that can be chosen.
pub fn help(caller: &Caller, opening: &str, operator: &str) -> (Answer, Vec<Choice>) {
    let kind = match caller.role() {
        None => "guest",
        Some(Role::Technician) => "technician",
        Some(Role::Manager | Role::Supervisor) => "manager",
        Some(Role::Noc) => "noc",
    };
    let name = caller
        .person()
        .and_then(|p| p.name.split_whitespace().next())
        .map_or(String::new(), |name| format!(", {name}"));
    let examples = phrases().list(&format!("engine.help.{kind}"));
    let choices: Vec<Choice> = examples
        .iter()
        .map(|text| Choice {
            label: text.clone(),
            does: Does::Say(text.clone()),
        })
        .collect();
    let opening = phrases().say(
        &format!("engine.opening.{opening}"),
        &[("name", &name), ("operator", &operator)],
    );
    let mut answer = menu(opening, &choices).line(phrases().say("engine.help.lead", &[]));
    answer.notes.push(phrases().say("engine.help.note", &[]));
    (answer, choices)
}

/// The three things offered to someone whose words could not be placed.
pub fn three_things(caller: &Caller) -> Vec<Choice> {
    let kind = if caller.is_guest() { "guest" } else { "known" };
    let examples = phrases().list(&format!("engine.three.{kind}"));
    examples
        .iter()
        .map(|text| Choice {
            label: text.clone(),
            does: Does::Say(text.clone()),
        })
        .collect()
}

/// What arrived besides the text, in words; None when nothing did.
pub fn arrived(turn: &Turn) -> Option<String> {
    let mut counted: Vec<(Kind, usize)> = Vec::new();
    for note in &turn.media {
        match counted.iter_mut().find(|(kind, _)| *kind == note.kind) {
            Some((_, n)) => *n += 1,
            None => counted.push((note.kind, 1)),
        }
    }
    let parts: Vec<String> = counted
        .iter()
        .map(|(kind, n)| phrases().say(&format!("engine.media.{}", kind.as_str()), &[("n", n)]))
        .collect();
    let mut said: Vec<String> = Vec::new();
    if !parts.is_empty() {
        said.push(phrases().say("engine.media.arrived", &[("what", &listed(&parts))]));
    }
    if turn.media_failed > 0 {
        said.push(phrases().say("engine.media.failed", &[("n", &turn.media_failed)]));
    }
    (!said.is_empty()).then(|| said.join(" "))
}

/// `a, b y c`.
pub fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => phrases().say("engine.and", &[("first", &most.join(", ")), ("last", last)]),
    }
}
