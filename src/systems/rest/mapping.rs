//! From a row of a system's list to a record of ours: fields, words, units, times, and the check that it is one.

use jiff::tz::TimeZone;
use regex::Regex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value, json};

use super::{instant, place};
use crate::config::systems::{Field, FieldRule, List, Need, Rule, Shape, fields_of};
use crate::domain::change::{RecordKind, RecordPut};
use crate::domain::records::{Access, Alarm, Asset, Crew, Employee, Monitor, PanelRow, Site, Task, TaskEvent};

/// The longest text taken from a row, characters.
const TEXT_CHARS_MAX: usize = 4_000;
/// Under this name a kept record says what its system calls it.
pub(in crate::systems) const KEY: &str = "_key";

/// The rules of one list, ready to use.
#[derive(Debug)]
pub(super) struct Mapping {
    kind: RecordKind,
    key: String,
    fields: Vec<(Field, Option<Ready>)>,
}

#[derive(Debug)]
struct Ready {
    rule: Rule,
    pattern: Option<Regex>,
}

/// A row that is no record: which field, and what is wrong with it; never its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadRow(pub(super) String);

impl Mapping {
    pub(super) fn of(kind: RecordKind, list: &List) -> Self {
        let ready = |rule: &FieldRule| {
            let rule = rule.rule();
            let pattern = (!rule.pattern.is_empty())
                .then(|| Regex::new(&rule.pattern).ok())
                .flatten();
            Ready { rule, pattern }
        };
        let fields = fields_of(kind)
            .iter()
            .map(|field| (*field, list.fields.get(field.name).map(ready)));
        Self {
            kind,
            key: list.key.clone(),
            fields: fields.collect(),
        }
    }

    /// What the system itself calls a row.
    pub(super) fn key(&self, row: &Value) -> Option<String> {
        place::at(row, &self.key).and_then(place::text)
    }

    /// The record that a row is.
    pub(super) fn record(&self, row: &Value, tz: &TimeZone) -> Result<RecordPut, BadRow> {
        let mut record = Map::new();
        for (field, ready) in &self.fields {
            let bad = |what: &str| BadRow(format!("{}: {what}", field.name));
            let value = match ready {
                Some(ready) => ready.value(row, field.shape, tz).map_err(bad)?,
                None => None,
            };
            let value = match (value, field.need) {
                (Some(value), _) => value,
                (None, Need::Must) => return Err(bad("there is none")),
                (None, Need::May) if field.shape == Shape::Texts => json!([]),
                (None, Need::May) => Value::Null,
                (None, Need::Else(instead)) => scalar(instead, field.shape, 1.0)
                    .map_err(bad)?
                    .unwrap_or_else(|| json!(instead)),
                (None, Need::As(other)) => record.get(other).cloned().unwrap_or(Value::Null),
            };
            record.insert(field.name.to_owned(), value);
        }
        if let (Some(lat), Some(lon)) = (record.remove("lat"), record.remove("lon")) {
            let both = !lat.is_null() && !lon.is_null();
            let point = if both {
                json!({ "lat": lat, "lon": lon })
            } else {
                Value::Null
            };
            record.insert("point".to_owned(), point);
        }
        let (id, mut value) = canonical(self.kind, Value::Object(record)).map_err(BadRow)?;
        if let (Some(members), Some(key)) = (value.as_object_mut(), self.key(row)) {
            members.insert(KEY.to_owned(), Value::String(key));
        }
        Ok(RecordPut {
            kind: self.kind,
            id,
            value,
        })
    }
}

impl Ready {
    fn value(&self, row: &Value, shape: Shape, tz: &TimeZone) -> Result<Option<Value>, &'static str> {
        let rule = &self.rule;
        if rule.at.is_empty() {
            return scalar(&rule.value, shape, 1.0);
        }
        let filled = |at: &str| place::at(row, at).filter(|v| v.as_str().is_none_or(|text| !text.trim().is_empty()));
        let found = filled(&rule.at).or_else(|| filled(&rule.or_at).filter(|_| !rule.or_at.is_empty()));
        let Some(found) = found else {
            return match rule.otherwise.as_str() {
                "" => Ok(None),
                otherwise => scalar(otherwise, shape, 1.0),
            };
        };
        match (shape, found) {
            (Shape::Instant, found) => match instant::read(found, &rule.time, tz) {
                Ok(at) => Ok(at.map(|at| json!(at))),
                Err(()) => Err("the time can't be read"),
            },
            (Shape::Texts, Value::Array(elements)) => {
                // A tag is a text, or an object with a name.
                let name = |e: &Value| place::text(e).or_else(|| e.get("name").and_then(place::text));
                Ok(Some(elements.iter().filter_map(name).map(Value::String).collect()))
            }
            (Shape::Texts, found) => {
                let text = place::text(found).ok_or("is no text")?;
                let by = if rule.split.is_empty() { "," } else { &rule.split };
                let parts = text.split(by).map(str::trim).filter(|part| !part.is_empty());
                Ok(Some(parts.map(|part| Value::String(part.to_owned())).collect()))
            }
            (_, found) => {
                let mut text = place::text(found).ok_or("is a list or an object")?;
                if let Some(more) = filled(&rule.and_at)
                    .filter(|_| !rule.and_at.is_empty())
                    .and_then(place::text)
                {
                    text = format!("{} {more}", text.trim());
                }
                match self.said(text.trim()) {
                    Some(said) => scalar(&said, shape, rule.factor.unwrap_or(1.0)),
                    None => Ok(None),
                }
            }
        }
    }

    /// The part that counts, in our words.
    fn said(&self, text: &str) -> Option<String> {
        let part = match &self.pattern {
            Some(pattern) => {
                let found = pattern.captures(text)?;
                found.get(1).or_else(|| found.get(0))?.as_str()
            }
            None => text,
        };
        let rule = &self.rule;
        if rule.words.is_empty() {
            return Some(format!("{}{part}", rule.prefix));
        }
        let lower = part.to_lowercase();
        let ours = rule.words.iter().find(|(theirs, _)| theirs.to_lowercase() == lower);
        match ours {
            Some((_, ours)) => Some(ours.clone()),
            None if rule.otherwise.is_empty() => Some(part.to_owned()),
            None => Some(rule.otherwise.clone()),
        }
        .filter(|word| !word.is_empty())
    }
}

/// A text in the shape of a field.
fn scalar(text: &str, shape: Shape, factor: f64) -> Result<Option<Value>, &'static str> {
    match shape {
        Shape::Text => Ok(Some(Value::String(text.chars().take(TEXT_CHARS_MAX).collect()))),
        Shape::Texts => Ok(Some(
            text.split(',').map(|t| Value::String(t.trim().to_owned())).collect(),
        )),
        Shape::Instant => Ok(None),
        Shape::Number | Shape::Whole => {
            let number: f64 = text.trim().replace(',', ".").parse().map_err(|_| "is no number")?;
            if instant::is_sentinel(number) {
                return Ok(None);
            }
            let number = number * factor;
            if shape == Shape::Number {
                return Ok(Number::from_f64(number).map(Value::Number));
            }
            if !(0.0..=1e15).contains(&number) {
                return Err("is no count");
            }
            Ok(Some(json!(number.round() as u64)))
        }
        Shape::Flag => match text.trim().to_lowercase().as_str() {
            "true" | "1" | "yes" | "y" | "sí" | "si" | "t" => Ok(Some(json!(true))),
            "false" | "0" | "no" | "n" | "f" | "" => Ok(Some(json!(false))),
            _ => Err("is neither yes nor no"),
        },
    }
}

/// The record as we keep it, with the id as we write it; an error names the field where it can.
fn canonical(kind: RecordKind, value: Value) -> Result<(String, Value), String> {
    match kind {
        RecordKind::Sites => typed::<Site>(value, |r| r.id.to_string()),
        RecordKind::Tasks => typed::<Task>(value, |r| r.id.to_string()),
        RecordKind::Events => typed::<TaskEvent>(value, |r| r.id.to_string()),
        RecordKind::Alarms => typed::<Alarm>(value, |r| r.id.to_string()),
        RecordKind::Crews => typed::<Crew>(value, |r| r.id.to_string()),
        RecordKind::Employees => typed::<Employee>(value, |r| r.id.to_string()),
        RecordKind::Access => typed::<Access>(value, |r| r.id.to_string()),
        RecordKind::Panel => typed::<PanelRow>(value, |r| r.task_id.to_string()),
        RecordKind::Inventory => typed::<Asset>(value, |r| r.id.to_string()),
        RecordKind::Monitors => typed::<Monitor>(value, |r| r.id.to_string()),
    }
}

fn typed<T: DeserializeOwned + Serialize>(value: Value, id: fn(&T) -> String) -> Result<(String, Value), String> {
    // Serde quotes the value it could not take: what may be somebody's data stays out of the log.
    let without_values = |error: serde_json::Error| {
        let text = error.to_string();
        let quoted: Vec<&str> = text.split('`').step_by(2).collect();
        quoted.join("…")
    };
    let record = T::deserialize(value).map_err(without_values)?;
    let value = serde_json::to_value(&record).map_err(without_values)?;
    Ok((id(&record), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(fields: Value) -> List {
        serde_json::from_value(json!({ "path": "/x", "fields": fields })).unwrap()
    }

    fn task_list() -> List {
        list(json!({
            "id": {"at": "/id", "prefix": "T-"},
            "title": "/subject",
            "site_id": {"at": "/project/name", "pattern": "(SITE-\\d+)"},
            "status": {"at": "/status/name", "words": {"Nueva": "open", "En curso": "in_progress"}},
            "criticality": {"at": "/priority", "words": {"5": "critical"}, "otherwise": "low"},
            "work_type": {"value": "corrective"},
            "created_at": "/created_on",
            "due_at": {"at": "/due", "time": "%d/%m/%Y"},
            "escalation_level": "/level",
        }))
    }

    fn row() -> Value {
        json!({"id": 17, "subject": "Sin energía", "project": {"name": "Torre SITE-002 norte"}, "status": {"name": "EN CURSO"},
            "priority": 5, "created_on": "2026-11-30T12:00:00", "due": "01/12/2026", "level": "0"})
    }

    fn read(row: &Value) -> Result<RecordPut, BadRow> {
        let tz = TimeZone::get("America/Santiago").unwrap();
        Mapping::of(RecordKind::Tasks, &task_list()).record(row, &tz)
    }

    #[test]
    fn a_row_becomes_a_record_of_ours() {
        let put = read(&row()).unwrap();
        assert_eq!(put.id, "T-00017");
        let value = &put.value;
        for (field, wanted) in [
            ("site_id", json!("SITE-002")),
            ("zone", json!("sin zona")),
            ("status", json!("in_progress")),
            ("criticality", json!("critical")),
            ("created_at", json!("2026-11-30T15:00:00Z")),
            ("updated_at", json!("2026-11-30T15:00:00Z")),
            ("due_at", json!("2026-12-01T03:00:00Z")),
            ("crew_id", Value::Null),
            (KEY, json!("17")),
        ] {
            assert_eq!(value[field], wanted, "{field}");
        }
    }

    #[test]
    fn a_row_that_is_no_record_says_which_field_and_not_its_value() {
        let without = |field: &str, value: Value| {
            let mut row = row();
            row[field] = value;
            read(&row).unwrap_err().0
        };
        assert!(without("subject", Value::Null).starts_with("title: there is none"));
        assert!(without("created_on", json!("0001-01-01T00:00:00Z")).starts_with("created_at"));
        let unknown = without("status", json!({"name": "Frobnicada"}));
        assert!(!unknown.contains("robnicada"), "{unknown}");
        assert!(without("project", json!({"name": "Torre"})).starts_with("site_id"));
    }

    #[test]
    fn units_sentinels_and_flags_are_translated() {
        let list = list(json!({
            "id": {"at": "/id", "prefix": "M-"}, "site_id": "/site", "metric": "/m", "status": {"value": "ok"},
            "value": {"at": "/secs", "factor": 0.000_277_777_777_8}, "warning_threshold": "/max",
            "last_check": {"at": "/clock", "time": "epoch_s"},
        }));
        let row = json!({"id": "7", "site": "site2", "m": "autonomy_h", "secs": "7200", "max": 9_223_372_036_854_775_807_i64, "clock": "0"});
        let put = Mapping::of(RecordKind::Monitors, &list)
            .record(&row, &TimeZone::UTC)
            .unwrap();
        assert_eq!(
            (put.id.as_str(), put.value["site_id"].as_str()),
            ("M-007", Some("SITE-002"))
        );
        assert!((put.value["value"].as_f64().unwrap() - 2.0).abs() < 1e-6);
        assert!(put.value["warning_threshold"].is_null() && put.value["last_check"].is_null());
    }
}
