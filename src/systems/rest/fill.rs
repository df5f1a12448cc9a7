//! Paths, queries and bodies with `{names}` in them, filled in.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Number, Value};

/// What stands for itself in a path or a query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What the names stand for; one that is not there is not known.
pub(super) type Values = BTreeMap<&'static str, String>;

/// A path or query with its names filled in, encoded; None when one is not known.
pub(super) fn path(template: &str, values: &Values) -> Option<String> {
    fill(template, values, |value| utf8_percent_encode(value, PLAIN).to_string())
}

/// A text with its names filled in; None when one is not known.
pub(super) fn text(template: &str, values: &Values) -> Option<String> {
    fill(template, values, str::to_owned)
}

/// A text for a parameter's value.
pub(super) fn encoded(value: &str) -> String {
    utf8_percent_encode(value, PLAIN).to_string()
}

fn fill(template: &str, values: &Values, form: impl Fn(&str) -> String) -> Option<String> {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        filled.push_str(before);
        filled.push_str(&form(values.get(name)?));
        rest = behind;
    }
    filled.push_str(rest);
    Some(filled)
}

/// A JSON body with its names filled in. A text that is nothing but `{name:number}` becomes a number; a member
/// whose value is not known is left out, an element too.
pub(super) fn body(template: &Value, values: &Values) -> Option<Value> {
    match template {
        Value::String(text) => leaf(text, values),
        Value::Array(elements) => Some(elements.iter().filter_map(|e| body(e, values)).collect()),
        Value::Object(members) => {
            let filled: Map<String, Value> = members
                .iter()
                .filter_map(|(name, member)| Some((name.clone(), body(member, values)?)))
                .collect();
            // An object that lost all of its members says nothing.
            (members.is_empty() || !filled.is_empty()).then_some(Value::Object(filled))
        }
        other => Some(other.clone()),
    }
}

fn leaf(template: &str, values: &Values) -> Option<Value> {
    let number = template.strip_prefix('{').and_then(|t| t.strip_suffix(":number}"));
    match number {
        Some(name) => values.get(name)?.parse::<Number>().ok().map(Value::Number),
        None => text(template, values).map(Value::String),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values() -> Values {
        Values::from([("key", "17".to_owned()), ("text", "a/b {x} ñ".to_owned())])
    }

    #[test]
    fn a_path_is_encoded_and_needs_every_name() {
        assert_eq!(
            path("/i/{key}.json?q={text}", &values()).as_deref(),
            Some("/i/17.json?q=a%2Fb%20%7Bx%7D%20%C3%B1")
        );
        assert_eq!(path("/i/{nothing}", &values()), None);
    }

    #[test]
    fn a_body_keeps_texts_as_they_are_and_leaves_out_what_is_not_known() {
        let template = json!({"issue": {"id": "{key:number}", "notes": "Nota: {text}", "status_id": "{status}"}, "x": {"y": "{z}"}, "n": [1, "{z}"]});
        assert_eq!(
            body(&template, &values()).unwrap(),
            json!({"issue": {"id": 17, "notes": "Nota: a/b {x} ñ"}, "n": [1]})
        );
    }
}
