//! A span of business time as it is asked for: rolling (`7d`) or from one day to another.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The longest rolling period: ten years and a bit, hours.
const ROLLING_HOURS_MAX: i64 = 3_660 * 24;

/// Two instants, both inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first instant.
    pub from: Timestamp,
    /// The last instant.
    pub to: Timestamp,
}

impl Span {
    /// Is the instant inside?
    pub fn contains(self, at: Timestamp) -> bool {
        self.from <= at && at <= self.to
    }
}

/// What a period may look like.
pub const PERIOD_FORMS: &str = "a period like 24h, 7d, 30d or 90d, or {from, to} with ISO dates or instants";

/// The text or object is no period.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not {PERIOD_FORMS}")]
pub struct BadPeriod {
    /// What was given, cut to 40 characters.
    pub given: String,
}

impl BadPeriod {
    fn of(given: &str) -> Self {
        Self {
            given: given.chars().take(40).collect(),
        }
    }
}

/// A local day, or an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A whole local day.
    Day(Date),
    /// A point in time.
    Instant(Timestamp),
}

impl Moment {
    /// Its first instant in that time zone.
    pub fn start(self, tz: &TimeZone) -> Result<Timestamp, BadPeriod> {
        match self {
            Self::Instant(at) => Ok(at),
            Self::Day(day) => midnight(day, tz).ok_or_else(|| BadPeriod::of(&self.to_string())),
        }
    }

    /// Its last instant in that time zone.
    pub fn end(self, tz: &TimeZone) -> Result<Timestamp, BadPeriod> {
        match self {
            Self::Instant(at) => Ok(at),
            Self::Day(day) => {
                let next = day.tomorrow().ok().and_then(|next| midnight(next, tz));
                let last = next.and_then(|next| next.checked_sub(1.nanosecond()).ok());
                last.ok_or_else(|| BadPeriod::of(&self.to_string()))
            }
        }
    }
}

/// The first instant of a local day: where daylight saving skips midnight, the one after.
fn midnight(day: Date, tz: &TimeZone) -> Option<Timestamp> {
    let start = day.to_zoned_datetime(tz.clone()).ok()?.start_of_day().ok()?;
    Some(start.timestamp())
}

impl FromStr for Moment {
    type Err = BadPeriod;
    fn from_str(text: &str) -> Result<Self, BadPeriod> {
        let text = text.trim();
        if let Ok(at) = text.parse::<Timestamp>() {
            return Ok(Self::Instant(at));
        }
        let is_date = text.len() == 10;
        let day = text.parse::<Date>().ok().filter(|_| is_date);
        day.map(Self::Day).ok_or_else(|| BadPeriod::of(text))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::Instant(at) => write!(f, "{at}"),
        }
    }
}

impl TryFrom<String> for Moment {
    type Error = BadPeriod;
    fn try_from(text: String) -> Result<Self, BadPeriod> {
        text.parse()
    }
}

impl Serialize for Moment {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Moment {
    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "an ISO date (whole local day) or instant", "x-entity": "date" })
    }
}

/// A period as asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub enum Period {
    /// The last hours until now; `days` says how it was written.
    Rolling {
        /// How long, hours.
        hours: i64,
        /// Written in days.
        days: bool,
    },
    /// From the beginning of one moment to the end of another.
    Range {
        /// The first day or instant.
        from: Moment,
        /// The last day or instant, included.
        to: Moment,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a period like 24h, 7d, 30d or 90d, or {from, to} with ISO dates or instants"
)]
enum Raw {
    Text(String),
    Range(RawRange),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRange {
    from: String,
    to: String,
}

impl TryFrom<Raw> for Period {
    type Error = BadPeriod;
    fn try_from(raw: Raw) -> Result<Self, BadPeriod> {
        match raw {
            Raw::Text(text) => text.parse(),
            Raw::Range(range) => Ok(Self::Range {
                from: range.from.parse()?,
                to: range.to.parse()?,
            }),
        }
    }
}

impl From<Period> for Raw {
    fn from(period: Period) -> Self {
        match period {
            Period::Rolling { .. } => Self::Text(period.to_string()),
            Period::Range { from, to } => Self::Range(RawRange {
                from: from.to_string(),
                to: to.to_string(),
            }),
        }
    }
}

impl FromStr for Period {
    type Err = BadPeriod;
    fn from_str(text: &str) -> Result<Self, BadPeriod> {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let bad = || BadPeriod::of(text);
        let (figure, unit) = compact
            .split_at_checked(compact.len().saturating_sub(1))
            .ok_or_else(bad)?;
        let n: i64 = figure.parse().map_err(|_| bad())?;
        let days = matches!(unit, "d" | "D");
        let hours = match unit {
            "h" | "H" => n,
            "d" | "D" => n.checked_mul(24).ok_or_else(bad)?,
            _ => return Err(bad()),
        };
        if !(1..=ROLLING_HOURS_MAX).contains(&hours) {
            return Err(bad());
        }
        Ok(Self::Rolling { hours, days })
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rolling { hours, days: true } => write!(f, "{}d", hours / 24),
            Self::Rolling { hours, days: false } => write!(f, "{hours}h"),
            Self::Range { from, to } => write!(f, "{from}..{to}"),
        }
    }
}

impl Period {
    /// The last `n` days.
    pub const fn days(n: i64) -> Self {
        Self::Rolling {
            hours: n * 24,
            days: true,
        }
    }

    /// Its instants: rolling until `now`, days by the time zone asked about.
    pub fn span(self, now: Timestamp, tz: &TimeZone) -> Result<Span, BadPeriod> {
        let span = match self {
            Self::Rolling { hours, .. } => Span {
                from: now
                    .checked_sub(hours.hours())
                    .map_err(|_| BadPeriod::of(&self.to_string()))?,
                to: now,
            },
            Self::Range { from, to } => Span {
                from: from.start(tz)?,
                to: to.end(tz)?,
            },
        };
        if span.from > span.to {
            return Err(BadPeriod::of(&self.to_string()));
        }
        Ok(span)
    }
}

impl JsonSchema for Period {
    fn schema_name() -> Cow<'static, str> {
        "Period".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "24h, 7d, 30d, 90d, any <N>h or <N>d until now; or {from, to}: ISO dates (whole local days, both included) or instants",
            "x-entity": "period",
            "anyOf": [
                { "type": "string", "pattern": "^[0-9]{1,5}[hd]$" },
                {
                    "type": "object",
                    "properties": { "from": { "type": "string" }, "to": { "type": "string" } },
                    "required": ["from", "to"],
                    "additionalProperties": false
                }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_rolling_period_ends_now() {
        let now = at("2026-11-30T20:00:00Z");
        let span = "7d".parse::<Period>().unwrap().span(now, &TimeZone::UTC).unwrap();
        assert_eq!((span.from, span.to), (at("2026-11-23T20:00:00Z"), now));
        assert_eq!("24h".parse::<Period>().unwrap().to_string(), "24h");
    }

    #[test]
    fn days_are_whole_and_local_with_both_ends_included() {
        let santiago = TimeZone::get("America/Santiago").unwrap();
        let period: Period = serde_json::from_str(r#"{"from":"2026-11-29","to":"2026-11-30"}"#).unwrap();
        let span = period.span(at("2026-12-05T00:00:00Z"), &santiago).unwrap();
        assert!(span.contains(at("2026-11-29T03:00:00Z")));
        assert!(span.contains(at("2026-12-01T02:59:59Z")));
        assert!(!span.contains(at("2026-11-29T02:59:59Z")));
        assert!(!span.contains(at("2026-12-01T03:00:00Z")));
    }

    #[test]
    fn the_day_daylight_saving_begins_has_its_first_instant_after_the_gap() {
        let santiago = TimeZone::get("America/Santiago").unwrap();
        let day: Moment = "2026-09-06".parse().unwrap();
        assert_eq!(day.start(&santiago).unwrap(), at("2026-09-06T04:00:00Z"));
    }

    #[test]
    fn what_is_no_period_is_refused_with_the_forms_expected() {
        for junk in ["", "d", "7", "0d", "-3d", "7w", "99999999d", "ayer", "ñ"] {
            assert!(junk.parse::<Period>().is_err(), "{junk}");
        }
        let error = serde_json::from_str::<Period>("7").unwrap_err().to_string();
        assert!(error.contains("24h, 7d"), "{error}");
        let backwards: Period = serde_json::from_str(r#"{"from":"2026-11-30","to":"2026-11-29"}"#).unwrap();
        assert!(backwards.span(at("2026-12-05T00:00:00Z"), &TimeZone::UTC).is_err());
    }
}
