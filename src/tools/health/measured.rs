//! `get_service_uptime` and `get_service_latency`: from the calls that were made, and from nothing else.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::period::Span;
use crate::domain::sets::Service;
use crate::systems::Probe;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::Period;

/// The period that is looked at when none is named.
const DEFAULT: Period = Period::Rolling { hours: 24, days: false };

/// The share of calls to a service, or to each, that were answered soundly in a period.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UptimeArgs {
    /// only this service
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    /// the period, like 24h or 7d, or {from, to} with ISO dates or instants; default 24h
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
}

/// How long calls to a service, or to each, took in the last 24 hours: p50, p95 and p99 in ms.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyArgs {
    /// only this service
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
}

/// A service's share of sound calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceUptime {
    /// The service.
    pub service: Service,
    /// Percent, one decimal; None without calls.
    #[schemars(extend("labels" = ["uptime", "disponibilidad", "%"]))]
    pub uptime_pct: Option<f64>,
    /// Calls made.
    #[schemars(extend("labels" = ["mediciones", "llamadas", "de"]))]
    pub probes: u64,
    /// Of them, answered soundly.
    #[schemars(extend("labels" = ["correctas", "exitosas"]))]
    pub ok: u64,
}

/// The share of sound calls, by service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Uptime {
    /// The period as resolved.
    pub period: Period,
    /// Its first instant.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Its last.
    #[schemars(with = "String")]
    pub to: Timestamp,
    /// Each service that was asked about, in the catalogue's order.
    pub services: Vec<ServiceUptime>,
}

impl Outcome for Uptime {}

/// How long a service's calls took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceLatency {
    /// The service.
    pub service: Service,
    /// Half of them took at most so long, ms; None without calls.
    #[schemars(extend("labels" = ["p50", "mediana", "ms"]))]
    pub p50_ms: Option<u64>,
    /// 95 of a hundred.
    #[schemars(extend("labels" = ["p95", "ms"]))]
    pub p95_ms: Option<u64>,
    /// 99 of a hundred.
    #[schemars(extend("labels" = ["p99", "ms"]))]
    pub p99_ms: Option<u64>,
    /// Calls measured.
    #[schemars(extend("labels" = ["mediciones", "llamadas", "de"]))]
    pub probes: u64,
}

/// How long calls took, by service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Each service that was asked about, in the catalogue's order.
    pub services: Vec<ServiceLatency>,
}

impl Outcome for Latency {}

pub(super) fn get_service_uptime(cx: &Cx<'_>, args: &mut UptimeArgs) -> Result<Uptime, ToolError> {
    let period = *args.period.get_or_insert(DEFAULT);
    let shown = cx.span(period, None)?;
    let span = cx.machine_span(period)?;
    let services = asked(args.service).map(|service| {
        let probes = cx.probes(service, span);
        let ok = probes.iter().filter(|p| p.ok).count();
        let share = (!probes.is_empty()).then(|| 1_000.0 * count(ok) / count(probes.len()));
        ServiceUptime {
            service,
            // Rounded down: what failed once is never shown as 100 %.
            uptime_pct: share.map(|permille| permille.floor() / 10.0),
            probes: probes.len() as u64,
            ok: ok as u64,
        }
    });
    Ok(Uptime {
        period,
        from: shown.from,
        to: shown.to,
        services: services.collect(),
    })
}

pub(super) fn get_service_latency(cx: &Cx<'_>, args: &mut LatencyArgs) -> Result<Latency, ToolError> {
    let span = cx.machine_span(DEFAULT)?;
    let services = asked(args.service).map(|service| {
        // What was not answered has no latency.
        let probes = cx.probes(service, span);
        let mut took: Vec<Duration> = probes.iter().filter(|p| p.ok).map(|p| p.took).collect();
        took.sort_unstable();
        ServiceLatency {
            service,
            p50_ms: percentile(&took, 50),
            p95_ms: percentile(&took, 95),
            p99_ms: percentile(&took, 99),
            probes: took.len() as u64,
        }
    });
    Ok(Latency {
        services: services.collect(),
    })
}

#[expect(clippy::cast_precision_loss, reason = "a ring of some thousand probes")]
fn count(n: usize) -> f64 {
    n as f64
}

fn asked(service: Option<Service>) -> impl Iterator<Item = Service> {
    Service::ALL
        .iter()
        .copied()
        .filter(move |s| service.is_none_or(|asked| asked == *s))
}

/// The nearest rank.
fn percentile(sorted: &[Duration], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    let took = sorted.get(rank - 1)?;
    Some(u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
}

impl Cx<'_> {
    /// A period as the machine's clock has it: that is when the calls were made.
    fn machine_span(&self, period: Period) -> Result<Span, ToolError> {
        let span = self.span(period, None)?;
        let shift: SignedDuration = Timestamp::now().duration_since(self.now);
        let moved = |at: Timestamp| at.checked_add(shift).unwrap_or(at);
        Ok(Span {
            from: moved(span.from),
            to: moved(span.to),
        })
    }

    /// The calls of a service in a span, of all that serve it.
    fn probes(&self, service: Service, span: Span) -> Vec<Probe> {
        let Some(board) = self.desk.and_then(|desk| desk.board.as_ref()) else {
            return Vec::new();
        };
        let serving = self.standings(service).into_iter();
        serving
            .flat_map(|standing| board.probes(&standing.name, span.from))
            .filter(|probe| span.contains(probe.at))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_measured_values() {
        let took: Vec<Duration> = (1..=100).map(Duration::from_millis).collect();
        assert_eq!(percentile(&took, 50), Some(50));
        assert_eq!(percentile(&took, 99), Some(99));
        assert_eq!(percentile(&[], 50), None);
        assert_eq!(percentile(&took[..1], 99), Some(1));
    }
}
