//! Instants as systems write them, and the values that mean none.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::place::text;

/// From here on an epoch is in milliseconds: as seconds it would be the year 5138.
const EPOCH_MS_FROM: i64 = 100_000_000_000;
/// What some systems write for *not known*, in numbers beyond any age or count.
const SENTINEL_FROM: f64 = 9.22e18;

/// Reads an instant. Nothing, *never*, epoch 0, `0001-01-01` and INT64_MAX are none; what can't be read is an error.
pub(super) fn read(value: &Value, form: &str, tz: &TimeZone) -> Result<Option<Timestamp>, ()> {
    let Some(text) = text(value) else { return Ok(None) };
    let text = text.trim();
    if text.is_empty() || ["never", "null", "none"].contains(&text.to_lowercase().as_str()) {
        return Ok(None);
    }
    if let Ok(number) = text.parse::<f64>() {
        return epoch(number, form);
    }
    let at = match form {
        "" | "auto" | "iso" => iso(text, tz).ok_or(())?,
        pattern => {
            let parsed = strtime::parse(pattern, text).map_err(drop)?;
            match parsed.to_timestamp() {
                Ok(at) => at,
                Err(_) => {
                    let civil = parsed
                        .to_datetime()
                        .or_else(|_| parsed.to_date().map(|day| day.at(0, 0, 0, 0)))
                        .map_err(drop)?;
                    local(civil, tz).ok_or(())?
                }
            }
        }
    };
    // A zero time is written with any zone: within a day of the epoch or in the first year it is none.
    let zero = at.as_second().abs() <= 86_400 || at.as_second() < -60_000_000_000;
    Ok((!zero).then_some(at))
}

fn epoch(number: f64, form: &str) -> Result<Option<Timestamp>, ()> {
    if number <= 0.0 || number >= SENTINEL_FROM {
        return Ok(None);
    }
    if !number.is_finite() || number > 1e15 {
        return Err(());
    }
    let in_ms = match form {
        "epoch_s" => false,
        "epoch_ms" => true,
        "" | "auto" => number as i64 >= EPOCH_MS_FROM,
        // A bare number is no date of any pattern, nor of ISO 8601.
        _ => return Err(()),
    };
    let ms = if in_ms { number } else { number * 1_000.0 };
    Timestamp::from_millisecond(ms.round() as i64).map(Some).map_err(drop)
}

fn iso(text: &str, tz: &TimeZone) -> Option<Timestamp> {
    text.parse::<Timestamp>()
        .ok()
        .or_else(|| local(text.parse::<DateTime>().ok()?, tz))
        .or_else(|| local(text.parse::<Date>().ok()?.at(0, 0, 0, 0), tz))
}

fn local(civil: DateTime, tz: &TimeZone) -> Option<Timestamp> {
    tz.to_timestamp(civil).ok()
}

/// Writes an instant for a question.
pub(super) fn write(at: Timestamp, form: &str, tz: &TimeZone) -> String {
    match form {
        "" | "auto" | "iso" => Timestamp::from_second(at.as_second()).unwrap_or(at).to_string(),
        "epoch_s" => at.as_second().to_string(),
        "epoch_ms" => at.as_millisecond().to_string(),
        pattern => at.to_zoned_datetime(tz.clone()).strftime(pattern).to_string(),
    }
}

/// Is this number a sentinel for *not known*?
pub(super) fn is_sentinel(number: f64) -> bool {
    !number.is_finite() || number.abs() >= SENTINEL_FROM
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn santiago() -> TimeZone {
        TimeZone::get("America/Santiago").unwrap()
    }

    #[test]
    fn every_way_to_write_an_instant_is_read() {
        let wanted: Timestamp = "2026-11-30T15:00:00Z".parse().unwrap();
        for (value, form) in [
            (json!("2026-11-30T15:00:00Z"), ""),
            (json!("2026-11-30T12:00:00-03:00"), "auto"),
            (json!("2026-11-30 12:00:00"), ""),
            (json!("2026-11-30T12:00:00"), "iso"),
            (json!(1_796_050_800), ""),
            (json!("1796050800"), "epoch_s"),
            (json!(1_796_050_800_000_i64), ""),
            (json!("1796050800000"), "epoch_ms"),
            (json!("30/11/2026 12:00"), "%d/%m/%Y %H:%M"),
        ] {
            assert_eq!(read(&value, form, &santiago()), Ok(Some(wanted)), "{value} {form}");
        }
        let midnight: Timestamp = "2026-11-30T03:00:00Z".parse().unwrap();
        assert_eq!(read(&json!("2026-11-30"), "", &santiago()), Ok(Some(midnight)));
        assert_eq!(read(&json!("30-11-2026"), "%d-%m-%Y", &santiago()), Ok(Some(midnight)));
    }

    #[test]
    fn sentinels_are_no_instant_and_nonsense_is_an_error() {
        for none in [
            json!(null),
            json!(""),
            json!("0"),
            json!(0),
            json!("never"),
            json!("0001-01-01T00:00:00Z"),
            json!("0001-01-01"),
            json!("1970-01-01T00:00:00Z"),
            json!("1970-01-01 00:00:00"),
            json!(9_223_372_036_854_775_807_i64),
            json!("9223372036854775807"),
        ] {
            assert_eq!(read(&none, "", &santiago()), Ok(None), "{none}");
        }
        assert!(read(&json!("yesterday"), "", &santiago()).is_err());
        assert!(read(&json!("12"), "%d/%m/%Y", &santiago()).is_err());
    }

    #[test]
    fn an_instant_is_written_as_the_system_asks_for_it() {
        let at: Timestamp = "2026-11-30T15:00:00.5Z".parse().unwrap();
        for (form, written) in [
            ("iso", "2026-11-30T15:00:00Z"),
            ("epoch_s", "1796050800"),
            ("epoch_ms", "1796050800500"),
            ("%Y-%m-%d %H:%M:%S", "2026-11-30 12:00:00"),
        ] {
            assert_eq!(write(at, form, &santiago()), written);
        }
    }
}
