//! `get_mttr` and `get_sla_compliance`: how long closing took, and whether it was in time.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::sets::{Criticality, WorkType};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::Period;
use crate::tools::rows::figure;
use crate::world::kpi;

use super::REPORTED;

/// MTTR: the mean hours from creation to closing of the tasks closed in the period, with how many they are and the median.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MttrArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this kind of work
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_type: Option<WorkType>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// the period, like 24h or 7d, or {from, to} with ISO dates or instants; default 7d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
}

/// Mean and median time to repair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mttr {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// The work type asked about.
    pub work_type: Option<WorkType>,
    /// The criticality asked about.
    pub criticality: Option<Criticality>,
    /// The period as resolved.
    pub period: Period,
    /// Its first instant.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Its last.
    #[schemars(with = "String")]
    pub to: Timestamp,
    /// Mean hours from creation to closing; null when nothing was closed.
    #[schemars(extend("labels" = ["mttr", "promedio", "tiempo medio de reparacion"]))]
    pub mttr: Option<f64>,
    /// The median of the same hours.
    #[schemars(extend("labels" = ["mediana"]))]
    pub median: Option<f64>,
    /// The tasks behind it.
    #[schemars(extend("labels" = ["tareas", "cerradas", "sobre"]))]
    pub tasks: u64,
}

impl Outcome for Mttr {
    fn count(&self) -> Option<u64> {
        Some(self.tasks)
    }
}

pub(super) fn get_mttr(cx: &Cx<'_>, args: &mut MttrArgs) -> Result<Mttr, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let period = *args.period.get_or_insert(REPORTED);
    let span = cx.span(period, zone)?;
    let tasks = cx
        .tasks_in(zone)
        .filter(|t| args.work_type.is_none_or(|w| t.work_type == w))
        .filter(|t| args.criticality.is_none_or(|c| t.criticality == c));
    let times = kpi::closing_times(tasks, span);
    Ok(Mttr {
        zone: zone.cloned(),
        work_type: args.work_type,
        criticality: args.criticality,
        period,
        from: span.from,
        to: span.to,
        mttr: kpi::mean_hours(&times).map(kpi::one_decimal),
        tasks: figure(times.len()),
        median: kpi::median_hours(times).map(kpi::one_decimal),
    })
}

/// SLA compliance: the percentage of the tasks closed in the period that were closed by their due time, with how many were on time and late.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlaComplianceArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// the period, like 24h or 7d, or {from, to} with ISO dates or instants; default 7d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
}

/// The closed tasks against their due times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlaCompliance {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// The criticality asked about.
    pub criticality: Option<Criticality>,
    /// The period as resolved.
    pub period: Period,
    /// Its first instant.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Its last.
    #[schemars(with = "String")]
    pub to: Timestamp,
    /// Percent closed on time; null when nothing was closed.
    #[schemars(extend("labels" = ["cumplimiento", "cumplimiento de sla", "sla", "%"]))]
    pub percent: Option<f64>,
    /// Closed by their due time.
    #[schemars(extend("labels" = ["a tiempo", "en plazo", "dentro de plazo"]))]
    pub on_time: u64,
    /// Closed after it.
    #[schemars(extend("labels" = ["tarde", "fuera de plazo", "atrasadas"]))]
    pub late: u64,
    /// Closed in all, those without a due time among them.
    #[schemars(extend("labels" = ["cerradas", "tareas", "total"]))]
    pub closed: u64,
}

impl Outcome for SlaCompliance {
    fn count(&self) -> Option<u64> {
        Some(self.closed)
    }
}

pub(super) fn get_sla_compliance(cx: &Cx<'_>, args: &mut SlaComplianceArgs) -> Result<SlaCompliance, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let period = *args.period.get_or_insert(REPORTED);
    let span = cx.span(period, zone)?;
    let tasks = cx
        .tasks_in(zone)
        .filter(|t| args.criticality.is_none_or(|c| t.criticality == c));
    let counts = kpi::Compliance::of(tasks, span, cx.now);
    Ok(SlaCompliance {
        zone: zone.cloned(),
        criticality: args.criticality,
        period,
        from: span.from,
        to: span.to,
        percent: counts.percent(),
        on_time: counts.on_time,
        late: counts.late,
        closed: counts.closed,
    })
}
