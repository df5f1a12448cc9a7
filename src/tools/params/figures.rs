//! Figures as parameters: how many rows, from which on, how many hours, which rank.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

/// The most rows one answer lists.
pub const LIMIT_MAX: u32 = 200;
/// How far a list can be paged, rows.
pub const OFFSET_MAX: u32 = 100_000;

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

/// The longest span that is asked for in hours: ten years and a bit.
pub const HOURS_MAX: u32 = 3_660 * 24;

/// A span in hours, from 1 up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hours<const DEFAULT: u32>(f64);

impl<const DEFAULT: u32> Hours<DEFAULT> {
    /// As a figure.
    pub fn figure(self) -> f64 {
        self.0
    }
}

impl<const DEFAULT: u32> Default for Hours<DEFAULT> {
    fn default() -> Self {
        Self(f64::from(DEFAULT))
    }
}

impl<const DEFAULT: u32> Serialize for Hours<DEFAULT> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Whole hours are echoed as they were given: 48, not 48.0.
        if self.0.fract() == 0.0 {
            serializer.serialize_u64(self.0 as u64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl<'de, const DEFAULT: u32> Deserialize<'de> for Hours<DEFAULT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hours = f64::deserialize(deserializer)?;
        if !(1.0..=f64::from(HOURS_MAX)).contains(&hours) {
            return Err(serde::de::Error::custom(format!(
                "{hours} is out of range, use 1 to {HOURS_MAX} hours"
            )));
        }
        Ok(Self(hours))
    }
}

impl<const DEFAULT: u32> JsonSchema for Hours<DEFAULT> {
    fn schema_name() -> Cow<'static, str> {
        format!("Hours{DEFAULT}").into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "number", "minimum": 1, "maximum": HOURS_MAX, "default": DEFAULT,
            "description": "how many hours", "x-entity": "hours"
        })
    }
}

/// The most times that are asked for.
pub const TIMES_MAX: u32 = 1_000;

/// At least so many times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct AtLeast<const DEFAULT: u32>(u32);

impl<const DEFAULT: u32> AtLeast<DEFAULT> {
    /// As a count.
    pub fn times(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<const DEFAULT: u32> Default for AtLeast<DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<'de, const DEFAULT: u32> Deserialize<'de> for AtLeast<DEFAULT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let times = u32::deserialize(deserializer)?;
        if !(1..=TIMES_MAX).contains(&times) {
            return Err(serde::de::Error::custom(format!(
                "{times} is out of range, use 1 to {TIMES_MAX}"
            )));
        }
        Ok(Self(times))
    }
}

impl<const DEFAULT: u32> JsonSchema for AtLeast<DEFAULT> {
    fn schema_name() -> Cow<'static, str> {
        format!("AtLeast{DEFAULT}").into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer", "minimum": 1, "maximum": TIMES_MAX, "default": DEFAULT,
            "description": "at least so many times"
        })
    }
}

/// The highest level of escalation.
pub const LEVEL_MAX: u8 = 3;
/// The last priority of the sheet that is asked for.
pub const PRIORITY_MAX: u32 = 99;

/// A level of escalation: 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Level(u8);

impl Level {
    /// As a figure.
    pub fn rank(self) -> u8 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rank = u8::deserialize(deserializer)?;
        if !(1..=LEVEL_MAX).contains(&rank) {
            return Err(serde::de::Error::custom(format!(
                "{rank} is out of range, use 1 to {LEVEL_MAX}"
            )));
        }
        Ok(Self(rank))
    }
}

impl JsonSchema for Level {
    fn schema_name() -> Cow<'static, str> {
        "Level".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer", "minimum": 1, "maximum": LEVEL_MAX,
            "description": "escalation level, 1 to 3", "x-entity": "level"
        })
    }
}

/// A priority of the sheet: 1 is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Priority(u32);

impl Priority {
    /// As a figure.
    pub fn rank(self) -> u32 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Priority {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rank = u32::deserialize(deserializer)?;
        if !(1..=PRIORITY_MAX).contains(&rank) {
            return Err(serde::de::Error::custom(format!(
                "{rank} is out of range, use 1 to {PRIORITY_MAX}"
            )));
        }
        Ok(Self(rank))
    }
}

impl JsonSchema for Priority {
    fn schema_name() -> Cow<'static, str> {
        "Priority".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer", "minimum": 1, "maximum": PRIORITY_MAX,
            "description": "priority of the sheet, 1 is first", "x-entity": "priority"
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
