//! `get_sla_breaches`: tasks that are, or were closed, past their due time.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::records::Task;
use crate::domain::sets::Criticality;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, Offset, Period};
use crate::tools::rows::{TaskPage, figure};
use crate::world::kpi;

/// Which closings are looked at when no period is named.
const REPORTED: Period = Period::days(7);

/// Tasks in breach of their SLA, the most exceeded first: active ones past due, and those closed late in the period.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlaBreaches {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// the period of the late closings, like 24h or 7d, or {from, to} with ISO dates or instants; default 7d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Tasks in breach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlaBreachList {
    /// The zone asked about.
    pub in_zone: Option<Zone>,
    /// The criticality asked about.
    pub of_criticality: Option<Criticality>,
    /// The first instant of the late closings.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// The last.
    #[schemars(with = "String")]
    pub to: Timestamp,
    /// Active ones past due.
    #[schemars(extend("labels" = ["activas", "vencidas", "activas vencidas"]))]
    pub active: u64,
    /// Closed late in the period.
    #[schemars(extend("labels" = ["cerradas", "cerradas tarde", "cerradas fuera de plazo"]))]
    pub closed_late: u64,
    /// The tasks; `overdue_h` is by how much.
    #[serde(flatten)]
    pub page: TaskPage,
}

impl Outcome for SlaBreachList {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

pub(super) fn get_sla_breaches(cx: &Cx<'_>, args: &mut SlaBreaches) -> Result<SlaBreachList, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let span = cx.span(*args.period.get_or_insert(REPORTED), zone)?;
    let mut exceeded: Vec<(f64, &Task)> = cx
        .tasks_in(zone)
        .filter(|t| args.criticality.is_none_or(|c| t.criticality == c))
        .filter(|t| kpi::in_breach(t, span, cx.now))
        .filter_map(|t| Some((kpi::exceeded_hours(t, cx.now)?, t)))
        .collect();
    exceeded.sort_by(|(a_hours, a), (b_hours, b)| b_hours.total_cmp(a_hours).then_with(|| a.id.cmp(&b.id)));
    let matching: Vec<&Task> = exceeded.into_iter().map(|(_, task)| task).collect();
    let active = matching.iter().filter(|t| t.status.is_active()).count();
    Ok(SlaBreachList {
        in_zone: zone.cloned(),
        of_criticality: args.criticality,
        from: span.from,
        to: span.to,
        active: figure(active),
        closed_late: figure(matching.len() - active),
        page: cx.task_page(&matching, args.limit.rows(), args.offset),
    })
}
