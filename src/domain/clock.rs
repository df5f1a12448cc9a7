//! Business time: what tools, demo data and words like *ayer* call now.
//!
//! Leases, retries and expiry never ask this clock; they run on the machine's monotonic time.

use jiff::{Timestamp, tz::TimeZone};

/// The clock of business time; `RELEVO_NOW` freezes it.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// The machine's.
    System,
    /// Standing still at an instant.
    Frozen(Timestamp),
}

impl Clock {
    /// The instant of business time.
    pub fn now(self) -> Timestamp {
        match self {
            Self::System => Timestamp::now(),
            Self::Frozen(instant) => instant,
        }
    }
}

/// Which time zone each of the operator's zones lives in.
#[derive(Debug, Clone)]
pub struct ZoneTimes {
    default: TimeZone,
    by_zone: Vec<(String, TimeZone)>,
}

impl ZoneTimes {
    /// `default` for the operator, `by_zone` for the zones that differ (lower-case names).
    pub fn new(default: TimeZone, by_zone: Vec<(String, TimeZone)>) -> Self {
        Self { default, by_zone }
    }

    /// The time zone of a zone, else the operator's.
    pub fn of(&self, zone: Option<&str>) -> &TimeZone {
        zone.and_then(|z| self.by_zone.iter().find(|(name, _)| name == z))
            .map_or(&self.default, |(_, tz)| tz)
    }

    /// Every clock in use, the operator's first.
    pub fn all(&self) -> Vec<TimeZone> {
        let others = self.by_zone.iter().map(|(_, tz)| tz);
        std::iter::once(&self.default).chain(others).cloned().collect()
    }
}
