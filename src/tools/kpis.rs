//! The figures of the operation over a period.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::records::Task;
use crate::domain::sets::System;
use crate::world::kpi;

use super::contract::{Cx, Module, Outcome, ToolError, read};
use super::params::Period;

pub(super) static MODULE: Module = Module {
    name: "kpis",
    tools: &[&read("get_kpi_summary", System::Kpis, get_kpi_summary)],
    disabled: &[],
};

/// The period a figure is reported over when none is named.
const REPORTED: Period = Period::days(7);

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

fn get_kpi_summary(cx: &Cx<'_>, args: &mut KpiSummaryArgs) -> Result<KpiSummary, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let period = *args.period.get_or_insert(REPORTED);
    let span = cx.span(period, zone)?;
    let tasks: Box<dyn Iterator<Item = &Task>> = match zone {
        Some(zone) => Box::new(cx.world.tasks_of_zone(zone)),
        None => Box::new(cx.world.tasks().iter()),
    };
    let figures = kpi::summary(tasks, span, cx.now);
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
