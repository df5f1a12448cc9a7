//! The four figures that an operation is led by: MTTR, active, closed, in breach.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::sets::AlarmSeverity;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::Period;
use crate::tools::rows::figure;
use crate::world::kpi;

use super::REPORTED;

/// What *now* looks back over, hours.
const REALTIME: Period = Period::Rolling { hours: 24, days: false };

/// MTTR, tasks open (active) now, tasks closed in the period, and tasks in breach of their SLA; of a zone or of all.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KpiSummaryArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// the period, like 24h or 7d, or {from, to} with ISO dates or instants; default 7d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
}

/// The figures of a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KpiSummary {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// The period as resolved.
    pub period: Period,
    /// Its first instant.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Its last.
    #[schemars(with = "String")]
    pub to: Timestamp,
    /// Mean hours from creation to closing; null when nothing was closed.
    #[schemars(extend("labels" = ["mttr", "tiempo medio de reparacion"]))]
    pub mttr: Option<f64>,
    /// Active now.
    #[schemars(extend("labels" = ["abiertas", "activas", "pendientes"]))]
    pub open: u64,
    /// Closed in the period.
    #[schemars(extend("labels" = ["cerradas", "resueltas"]))]
    pub closed: u64,
    /// Active and past due, or closed late in the period.
    #[schemars(extend("labels" = ["en breach", "breach de sla", "fuera de sla", "vencidas"]))]
    pub sla_breach: u64,
}

impl Outcome for KpiSummary {}

pub(super) fn get_kpi_summary(cx: &Cx<'_>, args: &mut KpiSummaryArgs) -> Result<KpiSummary, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let period = *args.period.get_or_insert(REPORTED);
    let span = cx.span(period, zone)?;
    let figures = kpi::summary(cx.tasks_in(zone), span, cx.now);
    Ok(KpiSummary {
        zone: zone.cloned(),
        period,
        from: span.from,
        to: span.to,
        mttr: figures.mttr,
        open: figures.open,
        closed: figures.closed,
        sla_breach: figures.sla_breach,
    })
}

/// The figures now and over the last 24 hours: MTTR, tasks open (active), closed, in breach, and the active critical alarms.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KpiRealtimeArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
}

/// The figures now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KpiRealtime {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// What the closings are counted from.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Mean hours from creation to closing over the last 24 hours; null when nothing was closed.
    #[schemars(extend("labels" = ["mttr", "tiempo medio de reparacion"]))]
    pub mttr: Option<f64>,
    /// Active now.
    #[schemars(extend("labels" = ["abiertas", "activas", "pendientes"]))]
    pub open: u64,
    /// Closed in the last 24 hours.
    #[schemars(extend("labels" = ["cerradas", "resueltas", "en 24 h"]))]
    pub closed: u64,
    /// Active and past due, or closed late in the last 24 hours.
    #[schemars(extend("labels" = ["en breach", "breach de sla", "fuera de sla", "vencidas"]))]
    pub sla_breach: u64,
    /// Active critical alarms.
    #[schemars(extend("labels" = ["alarmas criticas", "alarmas"]))]
    pub critical_alarms: u64,
}

impl Outcome for KpiRealtime {}

pub(super) fn get_kpi_realtime(cx: &Cx<'_>, args: &mut KpiRealtimeArgs) -> Result<KpiRealtime, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let span = cx.span(REALTIME, zone)?;
    let figures = kpi::summary(cx.tasks_in(zone), span, cx.now);
    let critical = cx
        .active_alarms_in(zone)
        .filter(|alarm| alarm.severity == AlarmSeverity::Critical);
    Ok(KpiRealtime {
        zone: zone.cloned(),
        from: span.from,
        mttr: figures.mttr,
        open: figures.open,
        closed: figures.closed,
        sla_breach: figures.sla_breach,
        critical_alarms: figure(critical.count()),
    })
}
