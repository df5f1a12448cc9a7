//! What a person reads when a tool did not answer.

use serde_json::Value;

use crate::domain::answer::{Answer, Severity};
use crate::format::phrases;
use crate::tools::{self, Reason, ToolError};

use super::pen::{Pen, add, flat, item, say, titled};

/// How many candidates become buttons.
const BUTTONS_MAX: usize = 3;

pub(super) fn said(_: &Pen<'_>, tool: &str, error: &ToolError) -> Answer {
    match error {
        ToolError::NotFound { kind, given, nearest } => not_found(kind, given, nearest),
        ToolError::Ambiguous { given, candidates } => ambiguous(given, candidates),
        ToolError::Arguments { field, message } if field == "values" => {
            Answer::text(phrases().say("messages.unfilled", &[("list", &flat(message))]))
        }
        ToolError::Arguments { field, message } if field == "template" => {
            Answer::text(phrases().say("messages.no_template", &[("list", &flat(message))]))
        }
        ToolError::Arguments { field, .. } => argument(tool, field),
        ToolError::Disabled {
            reason, replacement, ..
        } => Answer::text(disabled(*reason, replacement)),
        ToolError::Refused { reason } => Answer::text(say(&format!("failure.refused.{}", reason.key()), &[])),
    }
}

/// `No existe SITE-999. Parecidos: SITE-099 Torre …`
fn not_found(kind: &str, given: &str, nearest: &[(String, String)]) -> Answer {
    let mut text = say(&format!("failure.not_found.{kind}"), &[("given", &flat(given))]);
    if !nearest.is_empty() {
        let names: Vec<String> = nearest.iter().map(|(id, name)| named(id, name)).collect();
        let key = if kind == "zone" {
            "failure.zones"
        } else {
            "failure.similar"
        };
        text = format!("{text} {}", say(key, &[("list", &names.join(", "))]));
    }
    let mut shown = Answer::text(text);
    let is_site = kind == "site";
    let suggestions = nearest.iter().filter(|_| is_site).take(BUTTONS_MAX);
    shown.suggestions = suggestions
        .map(|(id, _)| say("ask.status_of_site", &[("id", id)]))
        .collect();
    shown
}

fn ambiguous(given: &str, candidates: &[(String, String)]) -> Answer {
    let mut shown = titled(say("failure.ambiguous", &[("given", &flat(given))]));
    shown.items = candidates
        .iter()
        .map(|(id, name)| item(named(id, name), Severity::Normal, id))
        .collect();
    shown.notes = vec![say("failure.ambiguous_hint", &[])];
    shown.suggestions = candidates.iter().take(BUTTONS_MAX).map(|(id, _)| id.clone()).collect();
    shown
}

/// An id with its name; once where they are the same.
fn named(id: &str, name: &str) -> String {
    if id == name {
        return flat(id);
    }
    say("failure.named", &[("id", &id), ("name", &flat(name))])
}

/// Which argument, and what it may be where the set is closed.
fn argument(tool: &str, field: &str) -> Answer {
    if field == "location" {
        return Answer::text(say("failure.no_location", &[]));
    }
    if field.is_empty() {
        return Answer::text(say("failure.arguments", &[]));
    }
    let mut shown = Answer::text(say("failure.argument", &[("field", &flat(field))]));
    let schema = tools::find(tool).and_then(|spec| spec.schema.pointer(&format!("/properties/{field}/enum")));
    if let Some(Value::Array(values)) = schema {
        let words: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        add(&mut shown, say("failure.valid", &[("list", &words.join(", "))]));
    }
    shown
}

/// Why a tool is not run, and what to ask instead: by what people call it, where they do.
fn disabled(reason: Reason, replacement: &str) -> String {
    let called = format!("engine.tool.{replacement}");
    let instead = if phrases().has(&called) {
        phrases().say(&called, &[("what", &"")])
    } else {
        replacement.to_owned()
    };
    let why = say(&format!("failure.disabled.{}", reason.key()), &[]);
    say(
        "failure.instead",
        &[("why", &why), ("instead", &instead), ("tool", &replacement)],
    )
}
