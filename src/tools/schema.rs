//! From argument and answer types to JSON schemas that every client accepts.
//!
//! Clients differ in what they stand: references, null among the types, `oneOf` of constants
//! and Rust's integer formats all break one or the other. None of them leaves here.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::contract::Outcome;

/// The description and the portable schema of a tool's arguments.
pub(super) fn of_arguments<A: JsonSchema>() -> (String, Value) {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let mut schema = portable(settings.into_generator().into_root_schema_for::<A>().to_value());
    let description = match schema.as_object_mut().and_then(|root| root.remove("description")) {
        Some(Value::String(text)) => one_line(&text),
        _ => String::new(),
    };
    if let Some(root) = schema.as_object_mut() {
        // A tool without parameters still takes an object.
        root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    (description, schema)
}

/// The schema of an answer. It keeps null among the types: answers state what is not known.
pub(super) fn of_answer<R: Outcome>() -> Value {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|s| s.inline_subschemas = true);
    strip(settings.into_generator().into_root_schema_for::<R>().to_value(), false)
}

fn portable(schema: Value) -> Value {
    strip(schema, true)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Walks the schema and takes away what is not portable; `drop_null` also takes null away.
fn strip(schema: Value, drop_null: bool) -> Value {
    let Value::Object(mut map) = schema else {
        return match schema {
            Value::Array(items) => Value::Array(items.into_iter().map(|item| strip(item, drop_null)).collect()),
            other => other,
        };
    };
    for key in ["$schema", "title"] {
        // A property may be called `title`: then its value is a schema, not a text.
        if map.get(key).is_some_and(Value::is_string) {
            map.remove(key);
        }
    }
    if map.get("format").is_some_and(is_rust_format) {
        map.remove("format");
    }
    if let Some(Value::String(text)) = map.get_mut("description") {
        *text = one_line(text);
    }
    if drop_null {
        without_null(&mut map);
    }
    one_of_constants(&mut map);
    Value::Object(
        map.into_iter()
            .map(|(key, value)| (key, strip(value, drop_null)))
            .collect(),
    )
}

fn is_rust_format(format: &Value) -> bool {
    const RUST: [&str; 10] = [
        "uint", "uint8", "uint16", "uint32", "uint64", "int", "int32", "int64", "float", "double",
    ];
    format.as_str().is_some_and(|name| RUST.contains(&name))
}

/// `["string", "null"]` to `"string"`, `anyOf: [X, null]` to X, `default: null` to nothing.
fn without_null(map: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|v| !v.is_null());
    }
    if map.get("default").is_some_and(Value::is_null) {
        map.remove("default");
    }
    let Some(Value::Array(choices)) = map.get_mut("anyOf") else {
        return;
    };
    choices.retain(|choice| choice.get("type").is_none_or(|t| t != "null"));
    if choices.len() == 1 {
        let only = choices.pop();
        map.remove("anyOf");
        if let Some(Value::Object(inner)) = only {
            for (key, value) in inner {
                // The field's own description stands before its type's.
                map.entry(key).or_insert(value);
            }
        }
    }
}

/// `oneOf` of string constants to an `enum`.
fn one_of_constants(map: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = map.get("oneOf") else {
        return;
    };
    let constants: Option<Vec<Value>> = choices
        .iter()
        .map(|choice| choice.get("const").filter(|c| c.is_string()).cloned())
        .collect();
    if let Some(constants) = constants {
        map.remove("oneOf");
        map.insert("type".into(), "string".into());
        map.insert("enum".into(), Value::Array(constants));
    }
}
