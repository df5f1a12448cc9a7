//! What a person wrote, made safe to look at: no control characters, no hidden marks, no end
//! without end. Words stay words: a text that gives orders is data like any other.
//!
//! And what a tool gave: figures and instants by which systems say that they know nothing are
//! taken out, and a long result loses whole rows, never half of one.

use serde_json::Value;

/// The text that is read, and whether its end was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clean {
    /// What is read.
    pub text: String,
    /// True when there was more than the limit.
    pub shortened: bool,
}

/// Drops what cannot be seen and cuts at `chars_max` characters.
pub fn clean(text: &str, chars_max: usize) -> Clean {
    let mut seen = text
        .chars()
        .filter(|c| !is_hidden(*c))
        .map(|c| if c == '\t' || c == '\r' { ' ' } else { c });
    let kept: String = seen.by_ref().take(chars_max).collect();
    Clean {
        text: kept.trim().to_owned(),
        shortened: seen.any(|c| !c.is_whitespace()),
    }
}

/// Control characters other than white space, and marks that hide or reorder text. The joiner
/// of emoji stays: without it one picture falls into several.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | '\r' => false,
        '\u{200B}'
        | '\u{200C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}'
        | '\u{FEFF}' => true,
        '\u{E0000}'..='\u{E007F}' => true,
        c => c.is_control(),
    }
}

/// Where a value stands in a result.
#[derive(Clone, Copy)]
struct Place<'p> {
    above: Option<&'p Place<'p>>,
    /// The field; None in a list.
    field: Option<&'p str>,
}

impl Place<'_> {
    /// The schema of what stands here.
    fn schema<'s>(&self, root: &'s Value) -> Option<&'s Value> {
        let above = match self.above {
            Some(above) => above.schema(root)?,
            None => return Some(root),
        };
        variants(above).find_map(|schema| match self.field {
            Some(field) => schema.get("properties")?.get(field),
            None => schema.get("items"),
        })
    }

    fn may_be_null(&self, root: &Value) -> bool {
        let is_null = |schema: &Value| match schema.get("type") {
            Some(Value::Array(types)) => types.iter().any(|t| t == "null"),
            Some(one) => one == "null",
            None => false,
        };
        self.schema(root).is_some_and(|schema| variants(schema).any(is_null))
    }
}

/// The schema and its choices.
fn variants(schema: &Value) -> impl Iterator<Item = &Value> {
    let choices = ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| schema.get(key)?.as_array());
    std::iter::once(schema).chain(choices.flatten())
}

/// A figure that systems write for one they do not have.
pub fn is_no_figure(number: &serde_json::Number) -> bool {
    number
        .as_i64()
        .is_some_and(|n| n == i64::MAX || n == i64::MIN || n == i64::from(i32::MIN))
        || number.as_u64() == Some(u64::MAX)
        || number.as_f64().is_some_and(|n| n.abs() >= 9.2e18)
}

/// An instant that systems write for never.
pub fn is_no_instant(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("0001-01-01") || text.starts_with("1970-01-01T00:00:00") || text == "1970-01-01"
}

/// Takes out of a result what stands for nothing: where the schema allows null it is null, which
/// is told as not known.
pub fn result(value: &mut Value, schema: &Value) {
    let top = Place {
        above: None,
        field: None,
    };
    without_sentinels(value, &top, schema);
}

fn without_sentinels(value: &mut Value, place: &Place<'_>, schema: &Value) {
    let nothing = match value {
        Value::Number(number) => is_no_figure(number),
        Value::String(text) => is_no_instant(text),
        Value::Array(items) => {
            for item in items {
                let below = Place {
                    above: Some(place),
                    field: None,
                };
                without_sentinels(item, &below, schema);
            }
            false
        }
        Value::Object(fields) => {
            for (field, value) in fields {
                let below = Place {
                    above: Some(place),
                    field: Some(field),
                };
                without_sentinels(value, &below, schema);
            }
            false
        }
        Value::Null | Value::Bool(_) => false,
    };
    if nothing && place.may_be_null(schema) {
        *value = Value::Null;
    }
}

/// Cuts a result to so many bytes of JSON: the longest list loses rows from its end, whole ones,
/// and `truncated` stands beside it. What counts the rows is left as it was.
pub fn cap(value: &mut Value, bytes_max: usize) {
    let mut bytes = size(value);
    while bytes > bytes_max {
        let Some(list) = longest(value) else { return };
        let over = bytes - bytes_max;
        let per_row = list.iter().map(size).sum::<usize>() / list.len().max(1) + 1;
        let cut = (over / per_row + 1).min(list.len());
        list.truncate(list.len() - cut);
        if let Value::Object(fields) = value {
            fields.insert("truncated".to_owned(), Value::Bool(true));
        }
        bytes = size(value);
    }
}

fn size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting never fails.
    _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// The list with the most bytes in it, wherever it stands; None when every list is empty.
fn longest(value: &mut Value) -> Option<&mut Vec<Value>> {
    fn all<'v>(value: &'v mut Value, lists: &mut Vec<(usize, &'v mut Vec<Value>)>) {
        match value {
            Value::Array(items) if !items.is_empty() => lists.push((items.iter().map(size).sum(), items)),
            Value::Object(fields) => fields.values_mut().for_each(|inner| all(inner, lists)),
            _ => {}
        }
    }
    let mut lists = Vec::new();
    all(value, &mut lists);
    lists.into_iter().max_by_key(|(bytes, _)| *bytes).map(|(_, list)| list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_stands_for_nothing_is_nothing_where_the_schema_lets_it() {
        let schema = json!({"properties": {
            "mttr": {"type": ["number", "null"]},
            "total": {"type": "integer"},
            "rows": {"type": "array", "items": {"properties": {"seen_at": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}}
        }});
        let mut value = json!({
            "mttr": i64::MAX, "total": 3,
            "rows": [{"seen_at": "1970-01-01T00:00:00Z"}, {"seen_at": "0001-01-01T00:00:00Z"}, {"seen_at": "2026-11-30T10:00:00Z"}]
        });
        result(&mut value, &schema);
        assert_eq!(
            value,
            json!({"mttr": null, "total": 3, "rows": [{"seen_at": null}, {"seen_at": null}, {"seen_at": "2026-11-30T10:00:00Z"}]})
        );
    }

    #[test]
    fn a_long_result_loses_whole_rows_and_says_so() {
        let rows: Vec<Value> = (0..200)
            .map(|n| json!({"id": format!("T-{n}"), "text": "x".repeat(100)}))
            .collect();
        let mut value = json!({"total": 200, "rows": rows});
        cap(&mut value, 5_000);
        let left = value["rows"].as_array().unwrap().len();
        assert!(value.to_string().len() <= 5_000 && left > 20, "{left}");
        assert_eq!((&value["total"], &value["truncated"]), (&json!(200), &json!(true)));
        assert!(
            value["rows"]
                .as_array()
                .unwrap()
                .iter()
                .all(|row| row["text"].as_str().unwrap().len() == 100)
        );
        let mut small = json!({"a": [1, 2]});
        cap(&mut small, 5_000);
        assert_eq!(small, json!({"a": [1, 2]}));
    }

    #[test]
    fn what_cannot_be_seen_is_dropped_and_long_text_is_cut() {
        let clean_text = clean("  esta\u{0}do\u{202E} si\u{200B}tio\t2 \u{7}", 4000);
        assert_eq!(
            clean_text,
            Clean {
                text: "estado sitio 2".to_owned(),
                shortened: false
            }
        );
        assert_eq!(
            clean("áéíóú", 3),
            Clean {
                text: "áéí".to_owned(),
                shortened: true
            }
        );
        assert_eq!(clean("\u{1F468}\u{200D}\u{1F527}", 10).text.chars().count(), 3);
    }
}
