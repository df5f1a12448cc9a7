//! Parameters that several tools share, each with its bounds, description and `x-entity`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::domain::geo::Point;
use crate::domain::ids::SiteId;

pub use crate::domain::period::{Moment, Period};

/// The most rows one answer lists.
pub const LIMIT_MAX: u32 = 200;
/// How far a list can be paged, rows.
pub const OFFSET_MAX: u32 = 100_000;
/// The longest free text of a parameter, characters.
pub const TEXT_CHARS_MAX: usize = 200;

/// How many rows to list: 1..=200.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Limit<const DEFAULT: u32 = 50>(u32);

impl<const DEFAULT: u32> Limit<DEFAULT> {
    /// As a count of rows.
    pub fn rows(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<const DEFAULT: u32> Default for Limit<DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<'de, const DEFAULT: u32> Deserialize<'de> for Limit<DEFAULT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = u32::deserialize(deserializer)?;
        if !(1..=LIMIT_MAX).contains(&rows) {
            return Err(serde::de::Error::custom(format!(
                "{rows} is out of range, use 1 to {LIMIT_MAX}"
            )));
        }
        Ok(Self(rows))
    }
}

impl<const DEFAULT: u32> JsonSchema for Limit<DEFAULT> {
    fn schema_name() -> Cow<'static, str> {
        format!("Limit{DEFAULT}").into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": DEFAULT,
            "description": "how many rows to list", "x-entity": "limit"
        })
    }
}

/// How many rows to pass over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Offset(u32);

impl Offset {
    /// As a count of rows.
    pub fn rows(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// Is it the beginning? Then the echo leaves it out.
    pub fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl<'de> Deserialize<'de> for Offset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = u32::deserialize(deserializer)?;
        if rows > OFFSET_MAX {
            return Err(serde::de::Error::custom(format!(
                "{rows} is out of range, use 0 to {OFFSET_MAX}"
            )));
        }
        Ok(Self(rows))
    }
}

impl JsonSchema for Offset {
    fn schema_name() -> Cow<'static, str> {
        "Offset".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer", "minimum": 0, "maximum": OFFSET_MAX, "default": 0,
            "description": "how many rows to pass over"
        })
    }
}

macro_rules! named_text {
    ($(#[$doc:meta])* $name:ident, $schema:tt) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// As given, trimmed; after the tool has run, as resolved.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Puts what it was resolved to in its place.
            pub fn resolve(&mut self, to: impl Into<String>) {
                self.0 = to.into();
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                let trimmed = text.trim();
                if trimmed.is_empty() || trimmed.chars().count() > TEXT_CHARS_MAX {
                    return Err(serde::de::Error::custom(format!("a text of 1 to {TEXT_CHARS_MAX} characters is needed")));
                }
                Ok(Self(trimmed.to_owned()))
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
                json_schema!($schema)
            }
        }
    };
}

named_text!(
    /// A manager by name, part of a name or id.
    ManagerRef,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "manager",
      "description": "a manager: name, part of a name, or id like E-001" }
);
named_text!(
    /// Any person by name, part of a name or id.
    PersonRef,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "person",
      "description": "a person: name, part of a name, or id like E-001" }
);
named_text!(
    /// A comuna or region by name.
    PlaceName,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "place",
      "description": "a comuna or region by name; comuna first, then region" }
);
named_text!(
    /// A comuna by name.
    ComunaName,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "description": "a comuna by name" }
);
named_text!(
    /// Words to look for.
    SearchText,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "text",
      "description": "words, or their beginnings, to look for" }
);
named_text!(
    /// An id of any kind, or the name of a person, crew or site.
    RecordRef,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "record",
      "description": "any id, or the name of a person, crew or site" }
);

/// A position: a point, or where a site stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected {lat, lon} in degrees, or {site_id}")]
pub enum Location {
    /// A point.
    Point(Point),
    /// The place of a site.
    Site(AtSite),
    /// `lat,lon` or a site id as text.
    Text(LocationText),
}

/// A site that stands for its position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtSite {
    /// The site.
    pub site_id: SiteId,
}

/// A location written as text; resolved to one of the other forms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LocationText(pub String);

impl JsonSchema for Location {
    fn schema_name() -> Cow<'static, str> {
        "Location".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "a position: lat and lon in degrees, from a location pin; or a site_id",
            "properties": {
                "lat": { "type": "number", "minimum": -90, "maximum": 90 },
                "lon": { "type": "number", "minimum": -180, "maximum": 180 },
                "site_id": { "type": "string", "description": "a site id like SITE-001 or RM-1161" }
            },
            "additionalProperties": false,
            "x-entity": "location"
        })
    }
}
