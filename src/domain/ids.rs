//! Identifiers as newtypes: parsed at the edge, forgiving about case and missing zeros.
//!
//! Every identifier prints in its canonical form (`SITE-002`, `T-10001`), reads the forms
//! people type (`site2`, `t 10001`) and carries the schema property `x-entity` by which the
//! parameter mapper finds it.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What was wrong with an identifier, with the form that was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not {expected}")]
pub struct IdError {
    /// What was given, cut to 40 characters.
    pub given: String,
    /// The form expected, for example `a task id like T-10001`.
    pub expected: &'static str,
}

impl IdError {
    fn new(given: &str, expected: &'static str) -> Self {
        Self {
            given: given.chars().take(40).collect(),
            expected,
        }
    }
}

/// Splits `ab - 12` into (`AB`, `12`); None when the text has any other shape.
fn letters_and_digits(text: &str) -> Option<(String, String)> {
    let mut letters = String::new();
    let mut digits = String::new();
    for c in text.trim().chars() {
        match c {
            'a'..='z' | 'A'..='Z' if digits.is_empty() => letters.push(c.to_ascii_uppercase()),
            '0'..='9' => digits.push(c),
            ' ' | '-' | '_' | '.' | '#' | '–' | '\u{2011}' => {}
            _ => return None,
        }
    }
    (!letters.is_empty() && !digits.is_empty() && digits.len() <= 9).then_some((letters, digits))
}

fn padded(prefix: &str, digits: &str, width: usize) -> Option<String> {
    let number: u64 = digits.parse().ok()?;
    Some(format!("{prefix}-{number:0width$}"))
}

/// Is the text canonical already: prefix, dash, digits of just that width? A load reads tens
/// of thousands of ids, nearly all of them so.
fn is_canonical(text: &str, prefix: &str, width: usize) -> bool {
    let digits = text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('-'));
    digits.is_some_and(|d| d.len() == width && d.bytes().all(|b| b.is_ascii_digit()))
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $entity:literal, $pattern:literal, $expected:literal, $parse:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Reads a forgiving form; the value holds the canonical one.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                let canonical: Option<String> = $parse(text);
                canonical.map(Self).ok_or_else(|| IdError::new(text, $expected))
            }

            /// The canonical form.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::parse(text)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern, "description": $expected, "x-entity": $entity })
            }
        }
    };
}

/// The prefix that looks like a site's but names an access authorisation (`catalog.toml`, params.site_id).
const ACCESS_PREFIX: &str = "AC";
/// Two-letter prefixes of other records, which a loose `AS 12` must not turn into a site.
const OTHER_PREFIXES: [&str; 4] = [ACCESS_PREFIX, "AS", "EV", "CU"];

fn site(text: &str) -> Option<String> {
    if is_canonical(text, "SITE", 3) {
        return Some(text.to_owned());
    }
    let (letters, digits) = letters_and_digits(text)?;
    match letters.as_str() {
        "SITE" | "SITIO" | "STIO" | "SITO" => padded("SITE", &digits, 3),
        two if two.len() == 2 && !OTHER_PREFIXES.contains(&two) && digits.len() <= 4 => padded(two, &digits, 4),
        _ => None,
    }
}

fn numbered(text: &str, prefix: &str, width: usize) -> Option<String> {
    if is_canonical(text, prefix, width) {
        return Some(text.to_owned());
    }
    let (letters, digits) = letters_and_digits(text)?;
    (letters == prefix).then(|| padded(prefix, &digits, width)).flatten()
}

fn crew(text: &str) -> Option<String> {
    let compact: String = text
        .trim()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_uppercase())
        .collect();
    let rest = compact.strip_prefix("CU")?;
    let area: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    let digits = rest.strip_prefix(area.as_str())?;
    let number: u32 = (digits.len() <= 4).then(|| digits.parse().ok()).flatten()?;
    (area.len() == 2).then(|| format!("CU-{area}-{number:02}"))
}

id!(
    /// A site: `SITE-001`, or two letters and four digits (`RM-1161`).
    SiteId, "site", "^(SITE-[0-9]{3,}|[A-Z]{2}-[0-9]{4})$", "a site id like SITE-001 or RM-1161", site
);
id!(
    /// A task: `T-10001`.
    TaskId, "task", "^T-[0-9]{5,}$", "a task id like T-10001", |t| numbered(t, "T", 5)
);
id!(
    /// An alarm: `A-50001`.
    AlarmId, "alarm", "^A-[0-9]{5,}$", "an alarm id like A-50001", |t| numbered(t, "A", 5)
);
id!(
    /// An employee: `E-001`.
    EmployeeId, "employee", "^E-[0-9]{3,}$", "an employee id like E-001", |t| numbered(t, "E", 3)
);
id!(
    /// A crew: `CU-AN-01`.
    CrewId, "crew", "^CU-[A-Z]{2}-[0-9]{2,}$", "a crew id like CU-AN-01", crew
);
id!(
    /// An asset of the inventory: `AS-00001`.
    AssetId, "asset", "^AS-[0-9]{5,}$", "an asset id like AS-00001", |t| numbered(t, "AS", 5)
);
id!(
    /// An access authorisation: `AC-7003`.
    AccessId, "access", "^AC-[0-9]{4,}$", "an access id like AC-7003", |t| numbered(t, "AC", 4)
);
id!(
    /// A monitor: `M-001`.
    MonitorId, "monitor", "^M-[0-9]{3,}$", "a monitor id like M-001", |t| numbered(t, "M", 3)
);
id!(
    /// An event of a task: `EV-00001`.
    EventId, "event", "^EV-[0-9]{5,}$", "an event id like EV-00001", |t| numbered(t, "EV", 5)
);

/// A zone of the operator (`norte`): an open set, whatever the data holds, kept in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Zone(String);

impl Zone {
    /// A zone's name; empty or longer than 40 characters is refused.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let name = text.trim().to_lowercase();
        if name.is_empty() || name.chars().count() > 40 {
            return Err(IdError::new(text, "the name of a zone"));
        }
        Ok(Self(name))
    }

    /// The name in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Zone {
    fn schema_name() -> Cow<'static, str> {
        "Zone".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "a zone of the operator: norte, centro, metropolitana, sur, austral", "x-entity": "zone" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_forgive_case_spaces_and_missing_zeros() {
        for (typed, canonical) in [
            ("site2", "SITE-002"),
            ("SITE 002", "SITE-002"),
            ("rm1161", "RM-1161"),
            ("pm 80", "PM-0080"),
        ] {
            assert_eq!(SiteId::parse(typed).unwrap().as_str(), canonical, "{typed}");
        }
        assert_eq!(TaskId::parse("t10001").unwrap().as_str(), "T-10001");
        assert_eq!(EmployeeId::parse("e-1").unwrap().as_str(), "E-001");
        assert_eq!(CrewId::parse("cu an 1").unwrap().as_str(), "CU-AN-01");
    }

    #[test]
    fn an_access_id_is_never_a_site() {
        assert!(SiteId::parse("AC-7003").is_err());
        assert_eq!(AccessId::parse("ac7003").unwrap().as_str(), "AC-7003");
    }

    #[test]
    fn what_is_no_id_is_refused_with_the_form_expected() {
        let error = TaskId::parse("la torre").unwrap_err();
        assert_eq!(error.to_string(), "`la torre` is not a task id like T-10001");
        for junk in ["", "-", "SITE", "SITE-", "12", "SITE-9999999999", "SITE-1'; drop"] {
            assert!(SiteId::parse(junk).is_err(), "{junk}");
        }
    }
}
