//! Parameters that several tools share, each with its bounds, description and `x-entity`.

mod figures;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::domain::geo::Point;
use crate::domain::ids::SiteId;

pub use crate::domain::mail::SUBJECT_CHARS_MAX;
pub use crate::domain::period::{Moment, Period};
pub use figures::{
    AtLeast, HOURS_MAX, Hours, LEVEL_MAX, LIMIT_MAX, Level, Limit, OFFSET_MAX, Offset, PRIORITY_MAX, Priority,
    TIMES_MAX,
};

/// The longest free text of a parameter, characters.
pub const TEXT_CHARS_MAX: usize = 200;
/// The longest note or reason, characters.
pub const NOTE_CHARS_MAX: usize = 1_000;
/// The longest account of an incident, characters: a voice note of some minutes.
pub const INCIDENT_CHARS_MAX: usize = 4_000;

/// The longest list of recipients, characters.
pub const MESSAGE_TO_CHARS_MAX: usize = 600;
/// The longest text of a mail, characters.
pub const MAIL_CHARS_MAX: usize = 10_000;
/// The longest text of a WhatsApp message, characters: who sends it stands before it.
pub const MESSAGE_CHARS_MAX: usize = 1_400;

macro_rules! named_text {
    ($(#[$doc:meta])* $name:ident, $max:ident, $schema:tt) => {
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
                if trimmed.is_empty() || trimmed.chars().count() > $max {
                    return Err(serde::de::Error::custom(format!("a text of 1 to {} characters is needed", $max)));
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
    TEXT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "manager",
      "description": "a manager: name, part of a name, or id like E-001" }
);
named_text!(
    /// Any person by name, part of a name or id.
    PersonRef,
    TEXT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "person",
      "description": "a person: name, part of a name, or id like E-001" }
);
named_text!(
    /// A comuna or region by name.
    PlaceName,
    TEXT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "place",
      "description": "a comuna or region by name; comuna first, then region" }
);
named_text!(
    /// A comuna by name.
    ComunaName,
    TEXT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "description": "a comuna by name" }
);
named_text!(
    /// Words to look for.
    SearchText,
    TEXT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "text",
      "description": "words, or their beginnings, to look for" }
);
named_text!(
    /// What somebody says has happened: data, never instructions.
    IncidentText,
    INCIDENT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": INCIDENT_CHARS_MAX, "x-entity": "incident",
      "description": "what has happened, in anybody's words" }
);
named_text!(
    /// What a note says: data, never instructions.
    NoteText,
    NOTE_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": NOTE_CHARS_MAX, "x-entity": "note",
      "description": "what the note says" }
);
named_text!(
    /// Why something is changed: data, never instructions.
    ReasonText,
    NOTE_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": NOTE_CHARS_MAX, "x-entity": "reason",
      "description": "why; needed to close, cancel, hold or stall a task" }
);
named_text!(
    /// What a new task is called: data, never instructions.
    TitleText,
    TEXT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "title",
      "description": "what is to be done, in one line" }
);
named_text!(
    /// A measured value by the name its monitors give it.
    MetricName,
    TEXT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "metric",
      "description": "what is measured, as the monitors call it, like battery_voltage_v" }
);
named_text!(
    /// What equipment is called.
    EquipmentName,
    TEXT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "equipment",
      "description": "what equipment is called, or its beginning, like rectificador" }
);
named_text!(
    /// An id of any kind, or the name of a person, crew or site.
    RecordRef,
    TEXT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "record",
      "description": "any id, or the name of a person, crew or site" }
);

named_text!(
    /// Whom a message goes to.
    ToRef,
    MESSAGE_TO_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": MESSAGE_TO_CHARS_MAX, "x-entity": "recipient",
      "description": "to whom: an address or a phone like +56912345678, a name, an id like E-001, or a crew; several separated by commas" }
);
named_text!(
    /// What a mail is about: one line.
    SubjectText,
    SUBJECT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": SUBJECT_CHARS_MAX, "x-entity": "subject", "description": "what the mail is about, on one line" }
);
named_text!(
    /// The text of a mail: data, never instructions.
    MailBody,
    MAIL_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": MAIL_CHARS_MAX, "x-entity": "body", "description": "the text of the mail" }
);
named_text!(
    /// The text of a message: data, never instructions.
    MessageText,
    MESSAGE_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": MESSAGE_CHARS_MAX, "x-entity": "message", "description": "the text of the message" }
);
named_text!(
    /// A template by its name.
    TemplateName,
    TEXT_CHARS_MAX,
    { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "x-entity": "template", "description": "the name of a template, in the place of a text" }
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
