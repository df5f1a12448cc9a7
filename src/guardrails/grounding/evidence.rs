//! The evidence of a turn: what its calls gave, what was asked, and what was really done.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::facts::{Facts, Reader};
use super::folded::fold;

/// Bounds that are counted even when the question names none, hours.
const THRESHOLDS: [f64; 3] = [24.0, 48.0, 72.0];

/// Which words may name a numeric field of a tool's answer, from its output schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldLabels {
    /// The field's path, `[]` for the rows of a list: `rows[].age_h`.
    pub path: String,
    /// The words, folded.
    pub labels: Vec<String>,
}

/// One call, as grounding sees it.
#[derive(Debug, Clone, Copy)]
pub struct CallFacts<'a> {
    /// Which tool.
    pub tool: &'a str,
    /// Its arguments as resolved.
    pub input: &'a Value,
    /// What it answered; the error's text when it failed.
    pub result: &'a Value,
    /// Did it answer?
    pub ok: bool,
    /// Did it change or send something? A preview did not.
    pub executed: bool,
    /// The words of its figures.
    pub labels: &'a [FieldLabels],
}

/// A figure with the words that may name it.
#[derive(Debug, Clone)]
pub(super) struct Labelled {
    pub value: f64,
    pub key: String,
    pub labels: Vec<String>,
}

/// What a text can lean on.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// What results say.
    pub(super) known: Facts,
    /// What the person and the arguments say.
    pub(super) echoed: Facts,
    /// Figures by their words, and by their keys.
    pub(super) labelled: Vec<Labelled>,
    /// Arguments as folded JSON, to know what every figure of a call already is.
    pub(super) asked: Vec<String>,
    /// How many records match, of calls that asked for some and not for all.
    pub(super) totals: Vec<f64>,
    /// Tools that changed or sent something.
    pub(super) done: Vec<String>,
    /// Something answered.
    pub(super) answered: bool,
    pub(super) reader: Reader,
}

impl Evidence {
    /// From the calls of a turn, the question, business time and the clocks that may be shown.
    pub fn of(calls: &[CallFacts<'_>], question: &str, now: Timestamp, zones: &[TimeZone]) -> Self {
        let mut reader = Reader {
            now,
            zones: zones.to_vec(),
            thresholds: Vec::new(),
        };
        let mut echoed = Facts::default();
        echoed.text(question, "", None, &reader);
        for call in calls {
            echoed.read(call.input, &reader);
            // *vencen en 8 h*, *mas de 48 h*: the bound is part of the field's name.
            for label in call.labels.iter().flat_map(|field| &field.labels) {
                echoed.text(label, "", None, &reader);
            }
            bounds_in_keys(call.result, &mut echoed, &reader);
        }
        reader.thresholds = echoed.numbers.iter().map(|f| f.value).chain(THRESHOLDS).collect();
        reader.thresholds.sort_by(f64::total_cmp);
        reader.thresholds.dedup();
        let mut evidence = Self {
            known: Facts::default(),
            echoed,
            labelled: Vec::new(),
            asked: calls.iter().map(|call| fold(&call.input.to_string())).collect(),
            totals: Vec::new(),
            done: Vec::new(),
            answered: calls.iter().any(|call| call.ok),
            reader,
        };
        for call in calls {
            if !call.ok {
                // An error says what was refused, and no more: its figures may be repeated.
                evidence.echoed.read(call.result, &evidence.reader);
                continue;
            }
            evidence.known.read(call.result, &evidence.reader);
            if narrows(call.input) {
                let totals = ["total", "count"]
                    .into_iter()
                    .filter_map(|key| call.result.get(key)?.as_f64());
                evidence.totals.extend(totals);
            }
            evidence.label(call.result, String::new(), "", call.labels);
            if call.executed {
                evidence.done.push(call.tool.to_owned());
            }
        }
        evidence
    }

    /// Adds a source of ours that is no tool's answer (when the picture is from, what a rule says).
    pub fn with(mut self, value: &Value) -> Self {
        self.known.read(value, &self.reader);
        self
    }

    fn label(&mut self, value: &Value, path: String, key: &str, labels: &[FieldLabels]) {
        match value {
            Value::Number(number) => {
                let found = labels.iter().find(|field| field.path == path);
                self.labelled.extend(number.as_f64().map(|value| Labelled {
                    value,
                    key: fold(key),
                    labels: found.map(|field| field.labels.clone()).unwrap_or_default(),
                }));
            }
            Value::Array(items) => {
                for item in items {
                    self.label(item, format!("{path}[]"), key, labels);
                }
            }
            Value::Object(fields) => {
                for (key, value) in fields {
                    let path = if path.is_empty() {
                        key.clone()
                    } else {
                        format!("{path}.{key}")
                    };
                    self.label(value, path, key, labels);
                }
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
}

/// Arguments that leave the question as wide as it was.
const WIDE: &[&str] = &[
    "limit", "offset", "sort", "period", "hours", "bucket", "zones", "group_by",
];

/// Do the arguments ask for some records and not for all?
fn narrows(input: &Value) -> bool {
    let fields = input.as_object().into_iter().flatten();
    fields
        .into_iter()
        .any(|(name, value)| !value.is_null() && !WIDE.contains(&name.as_str()))
}

/// Bounds that stand in the names of fields: `aging_gt_48h`, `from_3d_to_7d`.
fn bounds_in_keys(value: &Value, echoed: &mut Facts, reader: &Reader) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if key.contains(|c: char| c.is_ascii_digit()) {
                    let spaced = key.replace('_', " ");
                    echoed.text(&spaced, "", None, reader);
                    let figures = spaced
                        .split(|c: char| !c.is_ascii_digit())
                        .filter(|part| !part.is_empty());
                    for figure in figures {
                        echoed.text(figure, "", None, reader);
                    }
                }
                bounds_in_keys(value, echoed, reader);
            }
        }
        // The rows of a list have the same names.
        Value::Array(items) => {
            if let Some(first) = items.first() {
                bounds_in_keys(first, echoed, reader);
            }
        }
        _ => {}
    }
}

/// The labels of every numeric field of an output schema.
pub fn labels_of(schema: &Value) -> Vec<FieldLabels> {
    let mut found = Vec::new();
    collect(schema, String::new(), &mut found);
    found
}

fn collect(schema: &Value, path: String, found: &mut Vec<FieldLabels>) {
    if let Some(labels) = schema.get("labels").and_then(Value::as_array) {
        found.push(FieldLabels {
            path: path.clone(),
            labels: labels.iter().filter_map(Value::as_str).map(fold).collect(),
        });
    }
    for (key, inner) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let path = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        collect(inner, path, found);
    }
    if let Some(items) = schema.get("items") {
        collect(items, format!("{path}[]"), found);
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        for inner in schema.get(choice).and_then(Value::as_array).into_iter().flatten() {
            collect(inner, path.clone(), found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn labels_are_read_from_a_schema_by_path() {
        let schema = json!({"properties": {
            "open": {"type": "integer", "labels": ["abiertas"]},
            "rows": {"type": "array", "items": {"properties": {"age_h": {"type": "number", "labels": ["hace"]}}}}
        }});
        let labels = labels_of(&schema);
        let paths: Vec<&str> = labels.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(paths, ["open", "rows[].age_h"]);
    }
}
