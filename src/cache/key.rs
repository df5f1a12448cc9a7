//! Under which a result is found again.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The hash of a tool, its arguments in one form, who asks, and what it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

impl Key {
    /// Arguments that say the same give the same key: their order does not count, nor do nulls.
    pub fn of(tool: &str, args: &Map<String, Value>, scope: &str, version: usize) -> Self {
        let mut text = String::new();
        for part in [tool, scope, &version.to_string()] {
            text.push_str(&Value::from(part).to_string());
        }
        write_object(args, &mut text);
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => write_object(map, text),
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(item, text);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

fn write_object(map: &Map<String, Value>, text: &mut String) {
    let mut fields: Vec<(&String, &Value)> = map.iter().filter(|(_, value)| !value.is_null()).collect();
    fields.sort_by_key(|(name, _)| *name);
    text.push('{');
    for (name, value) in fields {
        text.push_str(&Value::from(name.as_str()).to_string());
        text.push(':');
        write(value, text);
        text.push(',');
    }
    text.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(args: Value, scope: &str, version: usize) -> Key {
        Key::of("t", args.as_object().unwrap(), scope, version)
    }

    #[test]
    fn the_order_of_arguments_and_nulls_do_not_count() {
        let one = key(json!({"zone": "norte", "more": {"b": 1, "a": [2]}}), "desk", 1);
        let same: Value = serde_json::from_str(r#"{"more":{"a":[2],"b":1},"zone":"norte","x":null}"#).unwrap();
        assert_eq!(one, key(same, "desk", 1));
    }

    #[test]
    fn who_asks_and_the_picture_count_and_texts_cannot_run_together() {
        let one = key(json!({"zone": "norte"}), "desk", 1);
        assert_ne!(one, key(json!({"zone": "norte"}), "guest", 1));
        assert_ne!(one, key(json!({"zone": "norte"}), "desk", 2));
        assert_ne!(
            key(json!({"a": "b,c"}), "d", 1),
            key(json!({"a": "b", "c": ""}), "d", 1)
        );
        assert_ne!(key(json!({"a": 1}), "d", 1), key(json!({"a": "1"}), "d", 1));
    }
}
