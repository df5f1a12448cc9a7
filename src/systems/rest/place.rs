//! Where a value is in an answer: a JSON pointer whose segments may also choose an element of a list by what it
//! holds (`/custom_fields/[name=Sitio]/value`), as many systems keep the operator's own fields.

use serde_json::Value;

/// The value at that place; null counts as nothing.
pub(crate) fn at<'v>(value: &'v Value, place: &str) -> Option<&'v Value> {
    let mut here = value;
    for segment in place.split('/').skip(1) {
        here = match segment.strip_prefix('[').and_then(|s| s.strip_suffix(']')) {
            Some(choice) => {
                let (name, wanted) = choice.split_once('=')?;
                let fits = |element: &&Value| element.get(name).and_then(text).is_some_and(|held| held == wanted);
                here.as_array()?.iter().find(fits)?
            }
            None => {
                let name = segment.replace("~1", "/").replace("~0", "~");
                match here {
                    Value::Object(members) => members.get(&name)?,
                    Value::Array(elements) => elements.get(name.parse::<usize>().ok()?)?,
                    _ => return None,
                }
            }
        };
    }
    (!here.is_null()).then_some(here)
}

/// A scalar as its text; a list or an object has none.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_place_is_found_by_name_by_number_and_by_what_an_element_holds() {
        let row = json!({
            "status": {"name": "New"}, "tags": ["a", "b"], "a/b": 1, "none": null,
            "custom_fields": [{"id": 1, "value": "x"}, {"id": 2, "name": "Sitio", "value": "SITE-002"}],
        });
        let found = |place: &str| at(&row, place).and_then(text);
        assert_eq!(found("/status/name").as_deref(), Some("New"));
        assert_eq!(found("/tags/1").as_deref(), Some("b"));
        assert_eq!(found("/a~1b").as_deref(), Some("1"));
        assert_eq!(found("/custom_fields/[name=Sitio]/value").as_deref(), Some("SITE-002"));
        assert_eq!(found("/custom_fields/[id=1]/value").as_deref(), Some("x"));
        for nowhere in [
            "/none",
            "/status/id",
            "/tags/9",
            "/custom_fields/[id=3]/value",
            "/status/name/x",
        ] {
            assert_eq!(found(nowhere), None, "{nowhere}");
        }
        assert_eq!(at(&row, ""), Some(&row));
    }
}
