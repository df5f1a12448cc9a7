//! What a JSON value says: its figures, spans of time, dates, ids, and what follows from them.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use regex::Regex;
use serde_json::{Map, Value};

use super::folded::{fold, wordy};
use super::numbers::{pattern, readings, unit_seconds};

/// Rows from which a figure of one row counts only beside that row's name: among so many
/// figures nearly any number can be found.
const ROWS_LONG: usize = 9;
/// Fields of one object that are added, subtracted and divided.
const PAIRED_FIELDS_MAX: usize = 12;
/// Depth that is walked.
const DEPTH_MAX: usize = 24;

/// One known value.
#[derive(Debug, Clone)]
pub struct Fact {
    /// The value: a count, a percent, seconds.
    pub value: f64,
    /// The key it stands under, folded; for a count, also what was counted.
    pub key: String,
    /// The row of a long list that it belongs to.
    pub row: Option<usize>,
}

/// Arithmetic on two fields: counts only when both are shown.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// The result.
    pub value: f64,
    /// Is it a share?
    pub percent: bool,
    /// What must be shown.
    pub operands: (f64, f64),
}

/// What is needed to read instants and ages.
#[derive(Debug, Clone)]
pub struct Reader {
    /// Business time.
    pub now: Timestamp,
    /// The clocks that may be shown.
    pub zones: Vec<TimeZone>,
    /// Bounds that the question names; how many are beyond each is counted.
    pub thresholds: Vec<f64>,
}

/// Everything that values say.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub numbers: Vec<Fact>,
    pub derived: Vec<Fact>,
    pub percents: Vec<Fact>,
    pub percents_derived: Vec<Fact>,
    pub durations: Vec<Fact>,
    pub durations_derived: Vec<Fact>,
    pub pairs: Vec<Pair>,
    pub ids: HashSet<String>,
    pub dates: HashSet<Date>,
    pub times: HashSet<(i8, i8)>,
    /// The names of each row of a long list.
    pub rows: Vec<HashSet<String>>,
    /// The texts of each object.
    pub objects: Vec<HashSet<String>>,
    /// Some list was empty.
    pub empty: bool,
}

struct Patterns {
    ids: Option<Regex>,
    figure: Option<Regex>,
    unit: Option<Regex>,
    iso_duration: Option<Regex>,
    percent: Option<Regex>,
    iso_date: Option<Regex>,
    day_first: Option<Regex>,
    clock: Option<Regex>,
    share_key: Option<Regex>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    ids: pattern(r"[a-z]{1,6}(?:-[a-z]{1,6})*-?\d[\w-]*|\b\d{1,2}\.?\d{3}\.?\d{3}-[\dk]\b|\+\d[\d ]{7,}\d|\+?\d{8,}"),
    figure: pattern(r"\d+(?:[.,]\d+)*"),
    unit: pattern(r"(\d+(?:[.,]\d+)?)\s*([a-z]+)"),
    iso_duration: pattern(r"^pt(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$"),
    percent: pattern(r"(\d+(?:[.,]\d+)?)\s*%"),
    iso_date: pattern(r"\d{4}-\d{2}-\d{2}"),
    day_first: pattern(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b"),
    clock: pattern(r"(?:\b|T)([01]?\d|2[0-3]):([0-5]\d)\b"),
    share_key: pattern(
        r"pct|percent|porcentaje|cumplimiento|compliance|_rate|ratio|availability|disponibilidad|uptime",
    ),
});

impl Facts {
    /// Adds what a value says.
    pub fn read(&mut self, value: &Value, reader: &Reader) {
        self.walk(value, "", None, reader, DEPTH_MAX);
    }

    fn walk(&mut self, value: &Value, key: &str, row: Option<usize>, reader: &Reader, depth: usize) {
        if depth == 0 {
            return;
        }
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                if let Some(number) = number.as_f64() {
                    self.number(number, key, row);
                }
            }
            Value::String(text) => self.text(text, key, row, reader),
            Value::Array(items) => {
                self.list(items, key, row, reader);
                let long = items.len() >= ROWS_LONG && items.iter().all(Value::is_object);
                for item in items {
                    let own = if long && row.is_none() {
                        let mut names = HashSet::new();
                        names_in(item, &mut names, reader, DEPTH_MAX);
                        self.rows.push(names);
                        Some(self.rows.len() - 1)
                    } else {
                        row
                    };
                    self.walk(item, key, own, reader, depth - 1);
                }
            }
            Value::Object(fields) => {
                self.object(fields, row);
                for (key, value) in fields {
                    self.walk(value, key, row, reader, depth - 1);
                }
            }
        }
    }

    fn number(&mut self, value: f64, key: &str, row: Option<usize>) {
        let key = fold(key);
        let fact = |value: f64| Fact {
            value,
            key: key.clone(),
            row,
        };
        self.numbers.push(fact(value));
        if let Some(unit) = duration_unit(&key) {
            self.durations.push(fact(value * unit));
        }
        if PATTERNS.share_key.as_ref().is_some_and(|share| share.is_match(&key)) {
            if (0.0..=1.0).contains(&value) {
                self.percents.push(fact(value * 100.0));
            }
            self.percents.push(fact(value));
        }
    }

    /// What a text holds: people and systems write figures into words.
    pub fn text(&mut self, text: &str, key: &str, row: Option<usize>, reader: &Reader) {
        let folded = fold(text);
        let fact = |value: f64| Fact {
            value,
            key: fold(key),
            row,
        };
        self.instants(text, key, row, reader);
        for id in PATTERNS.ids.iter().flat_map(|ids| ids.find_iter(&folded)) {
            self.ids.insert(bare_id(id.as_str()));
        }
        for found in PATTERNS.unit.iter().flat_map(|unit| unit.captures_iter(&folded)) {
            let (_, [figure, unit]) = found.extract();
            if let Some(seconds) = unit_seconds(unit) {
                let spans = readings(figure).into_iter().map(|r| fact(r.value * seconds));
                self.durations.extend(spans);
            }
        }
        if let Some(found) = PATTERNS.iso_duration.as_ref().and_then(|iso| iso.captures(&folded)) {
            let part = |n: usize| found.get(n).and_then(|m| m.as_str().parse::<f64>().ok());
            if (1..=3).any(|n| part(n).is_some()) {
                let seconds = [3600.0, 60.0, 1.0];
                let sum = (1..=3)
                    .zip(seconds)
                    .map(|(n, unit)| part(n).unwrap_or_default() * unit)
                    .sum();
                self.durations.push(fact(sum));
            }
        }
        for found in PATTERNS
            .percent
            .iter()
            .flat_map(|percent| percent.captures_iter(&folded))
        {
            let (_, [figure]) = found.extract();
            self.percents
                .extend(readings(figure).into_iter().map(|r| fact(r.value)));
        }
        for found in PATTERNS.figure.iter().flat_map(|figure| figure.find_iter(&folded)) {
            let before = folded.get(..found.start()).and_then(|head| head.chars().next_back());
            let after = folded.get(found.end()..).and_then(|rest| rest.chars().next());
            let part_of_a_word = |c: Option<char>| wordy(c) || c == Some('-');
            if !part_of_a_word(before) && !part_of_a_word(after) {
                self.numbers
                    .extend(readings(found.as_str()).into_iter().map(|r| fact(r.value)));
            }
        }
    }

    /// Dates and times, as they stand and by each clock, and how long ago or ahead they are.
    fn instants(&mut self, text: &str, key: &str, row: Option<usize>, reader: &Reader) {
        for found in PATTERNS.iso_date.iter().flat_map(|date| date.find_iter(text)) {
            self.dates.extend(found.as_str().parse::<Date>());
        }
        for found in PATTERNS.day_first.iter().flat_map(|date| date.captures_iter(text)) {
            let (_, [day, month, year]) = found.extract();
            if let (Ok(day), Ok(month), Ok(year)) = (day.parse(), month.parse(), year.parse()) {
                self.dates.extend(Date::new(year, month, day));
            }
        }
        for found in PATTERNS.clock.iter().flat_map(|clock| clock.captures_iter(text)) {
            let (_, [hour, minute]) = found.extract();
            if let (Ok(hour), Ok(minute)) = (hour.parse(), minute.parse()) {
                self.times.insert((hour, minute));
            }
        }
        if let Ok(instant) = text.parse::<Timestamp>() {
            for zone in &reader.zones {
                let local = instant.to_zoned_datetime(zone.clone());
                self.dates.insert(local.date());
                self.times.insert((local.hour(), local.minute()));
            }
            let age = instant.duration_since(reader.now).as_secs_f64().abs();
            self.durations_derived.push(Fact {
                value: age,
                key: fold(key),
                row,
            });
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, row: Option<usize>) {
        let texts = fields.values().filter_map(Value::as_str).map(fold);
        self.objects.push(texts.collect());
        if let Some(unit) = fields.get("unit").and_then(Value::as_str) {
            for (key, value) in fields {
                let Some(value) = value.as_f64() else { continue };
                let fact = Fact {
                    value,
                    key: fold(key),
                    row,
                };
                match (unit_seconds(&fold(unit)), unit) {
                    (Some(seconds), _) => self.durations.push(Fact {
                        value: value * seconds,
                        ..fact
                    }),
                    (None, "%") => self.percents.push(fact),
                    (None, _) => {}
                }
            }
        }
        if row.is_some() {
            return;
        }
        let numbers: Vec<f64> = fields
            .values()
            .filter_map(Value::as_f64)
            .take(PAIRED_FIELDS_MAX)
            .collect();
        for (at, x) in numbers.iter().enumerate() {
            for (other, y) in numbers.iter().enumerate().filter(|(other, _)| *other != at) {
                let mut pair = |value: f64, percent: bool| {
                    self.pairs.push(Pair {
                        value,
                        percent,
                        operands: (*x, *y),
                    });
                };
                if at < other {
                    pair(x + y, false);
                }
                if x > y {
                    pair(x - y, false);
                }
                if *y > 0.0 && (0.0..=*y).contains(x) {
                    pair(100.0 * x / y, true);
                }
                if x + y > 0.0 {
                    pair(100.0 * x / (x + y), true);
                }
            }
        }
    }

    /// How long a list is, and what its columns come to.
    fn list(&mut self, items: &[Value], key: &str, row: Option<usize>, reader: &Reader) {
        self.empty |= items.is_empty();
        let length = count(items.len());
        self.derive(length, key, row);
        let rows: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
        if rows.is_empty() || rows.len() != items.len() {
            return;
        }
        let mut columns: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for (key, value) in rows.iter().flat_map(|row| row.iter()).filter(|(_, v)| !v.is_null()) {
            columns.entry(key).or_default().push(value);
        }
        for (column, values) in columns {
            let numbers: Vec<f64> = values.iter().filter_map(|v| v.as_f64()).collect();
            if numbers.len() == values.len() {
                self.column(column, &numbers, row, reader);
            }
            let mut same: BTreeMap<String, usize> = BTreeMap::new();
            for value in values.iter().filter(|v| !v.is_object() && !v.is_array()) {
                *same.entry(value.to_string()).or_default() += 1;
            }
            let given: usize = same.values().sum();
            if given > 0 && given < rows.len() {
                same.insert("null".to_owned(), rows.len() - given);
            }
            for (value, times) in same {
                let key = format!("{column}=={}", fold(&value));
                self.derive(count(times), &key, row);
                self.percents_derived.push(Fact {
                    value: 100.0 * count(times) / length,
                    key,
                    row,
                });
            }
        }
    }

    fn column(&mut self, column: &str, numbers: &[f64], row: Option<usize>, reader: &Reader) {
        let sum: f64 = numbers.iter().sum();
        let mean = sum / count(numbers.len()).max(1.0);
        let most = numbers.iter().copied().fold(f64::MIN, f64::max);
        let least = numbers.iter().copied().fold(f64::MAX, f64::min);
        let unit = duration_unit(&fold(column));
        for value in [sum, mean, most, least] {
            self.derive(value, column, row);
            if let Some(unit) = unit {
                self.durations_derived.push(Fact {
                    value: value * unit,
                    key: fold(column),
                    row,
                });
            }
        }
        for threshold in &reader.thresholds {
            let beyond = numbers.iter().filter(|n| *n > threshold).count();
            self.derive(count(beyond), &format!("{column}>{threshold}"), row);
        }
    }

    fn derive(&mut self, value: f64, key: &str, row: Option<usize>) {
        self.derived.push(Fact {
            value,
            key: fold(key),
            row,
        });
    }
}

/// The seconds that one of a field stands for, by its name.
pub fn duration_unit(key: &str) -> Option<f64> {
    const HOUR: f64 = 3600.0;
    if key == "mttr" || key == "median" || key.ends_with("_mttr") {
        return Some(HOUR);
    }
    let unit = match key.rsplit('_').next().unwrap_or(key) {
        "h" | "hours" | "horas" => HOUR,
        "min" | "minutes" | "minutos" | "ago" => 60.0,
        "s" | "seconds" | "secs" => 1.0,
        "ms" => 0.001,
        "days" | "dias" => 86_400.0,
        _ => return None,
    };
    Some(unit)
}

/// An id without what people put into it: spaces and the points of a RUT.
pub fn bare_id(id: &str) -> String {
    id.chars().filter(|c| !c.is_whitespace() && *c != '.').collect()
}

fn count(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::from(u32::MAX), f64::from)
}

/// The words by which a row can be named: its texts, and its days as people write them.
fn names_in(value: &Value, names: &mut HashSet<String>, reader: &Reader, depth: usize) {
    match value {
        Value::String(text) => {
            let day = text.parse::<Date>().ok();
            let instant = text.parse::<Timestamp>().ok();
            let days = reader.zones.iter().filter_map(|zone| {
                let instant = instant?;
                Some(instant.to_zoned_datetime(zone.clone()).date())
            });
            for day in day.into_iter().chain(days) {
                names.insert(day.strftime("%d/%m").to_string());
                names.insert(day.strftime("%d-%m").to_string());
            }
            if text.chars().count() > 2 {
                names.insert(fold(text));
            }
        }
        Value::Array(items) if depth > 0 => {
            for item in items {
                names_in(item, names, reader, depth - 1);
            }
        }
        Value::Object(fields) if depth > 0 => {
            for value in fields.values() {
                names_in(value, names, reader, depth - 1);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: &Value) -> Facts {
        let reader = Reader {
            now: "2026-11-30T15:00:00Z".parse().unwrap(),
            zones: vec![TimeZone::get("America/Santiago").unwrap()],
            thresholds: vec![48.0],
        };
        let mut facts = Facts::default();
        facts.read(value, &reader);
        facts
    }

    #[test]
    fn a_list_gives_its_length_its_counts_and_what_its_columns_come_to() {
        let facts = read(&json!({"rows": [{"age_h": 30, "state": "open"}, {"age_h": 60, "state": "open"}]}));
        let derived = |key: &str, value: f64| {
            let mut all = facts.derived.iter();
            all.any(|f| f.key == key && (f.value - value).abs() < 1e-9)
        };
        assert!(derived("rows", 2.0) && derived("age_h", 45.0) && derived("age_h", 90.0));
        assert!(derived("age_h>48", 1.0) && derived("state==\"open\"", 2.0));
    }

    #[test]
    fn instants_are_known_by_the_operators_clock_and_by_their_age() {
        let facts = read(&json!({"raised_at": "2026-11-30T12:15:00Z"}));
        assert!(facts.times.contains(&(9, 15)) && facts.times.contains(&(12, 15)));
        assert!((facts.durations_derived[0].value - 9900.0).abs() < 1.0);
    }

    #[test]
    fn every_pattern_compiles() {
        let p = &PATTERNS;
        for pattern in [
            &p.ids,
            &p.figure,
            &p.unit,
            &p.iso_duration,
            &p.percent,
            &p.iso_date,
            &p.day_first,
            &p.clock,
            &p.share_key,
        ] {
            assert!(pattern.is_some());
        }
    }
}
