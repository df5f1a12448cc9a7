//! `get_task_stats`: what came in, what went out, and what is there.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::records::Task;
use crate::domain::sets::{TaskStatus, WorkType};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::Period;
use crate::tools::rows::{CriticalityCounts, figure};
use crate::world::kpi;

/// The period that is counted over when none is named.
const REPORTED: Period = Period::days(7);

/// Tasks in figures: created and closed in the period; the active ones now, by criticality and work type, how many are stalled or past due, and their mean age.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskStatsArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// the period, like 24h or 7d, or {from, to} with ISO dates or instants; default 7d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
}

/// Tasks in figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskStats {
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
    /// Created in the period.
    #[schemars(extend("labels" = ["creadas", "nuevas"]))]
    pub created: u64,
    /// Closed in the period.
    #[schemars(extend("labels" = ["cerradas", "resueltas"]))]
    pub closed: u64,
    /// Active now.
    #[schemars(extend("labels" = ["activas", "abiertas", "pendientes"]))]
    pub active: u64,
    /// Of them, stalled.
    #[schemars(extend("labels" = ["estancadas"]))]
    pub stalled: u64,
    /// Of them, past due.
    #[schemars(extend("labels" = ["en breach", "vencidas", "fuera de plazo"]))]
    pub breach: u64,
    /// Mean hours since the creation of the active ones; null without any.
    #[schemars(extend("labels" = ["edad media", "antiguedad media"]))]
    pub mean_age_h: Option<f64>,
    /// The active ones by criticality.
    pub by_criticality: CriticalityCounts,
    /// The active ones by work type.
    pub by_work_type: WorkTypeCounts,
}

impl Outcome for TaskStats {}

/// Tasks by work type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkTypeCounts {
    /// Corrective ones.
    #[schemars(extend("labels" = ["correctivas"]))]
    pub corrective: u64,
    /// Preventive ones.
    #[schemars(extend("labels" = ["preventivas"]))]
    pub preventive: u64,
    /// POP.
    #[serde(rename = "POP")]
    #[schemars(extend("labels" = ["pop"]))]
    pub pop: u64,
    /// TOT.
    #[serde(rename = "TOT")]
    #[schemars(extend("labels" = ["tot"]))]
    pub tot: u64,
    /// Installations.
    #[schemars(extend("labels" = ["de instalacion", "instalaciones"]))]
    pub installation: u64,
    /// Audits.
    #[schemars(extend("labels" = ["de auditoria", "auditorias"]))]
    pub audit: u64,
}

impl WorkTypeCounts {
    fn of<'t>(tasks: impl Iterator<Item = &'t Task>) -> Self {
        let mut counts = Self::default();
        for task in tasks {
            match task.work_type {
                WorkType::Corrective => counts.corrective += 1,
                WorkType::Preventive => counts.preventive += 1,
                WorkType::Pop => counts.pop += 1,
                WorkType::Tot => counts.tot += 1,
                WorkType::Installation => counts.installation += 1,
                WorkType::Audit => counts.audit += 1,
            }
        }
        counts
    }
}

pub(super) fn get_task_stats(cx: &Cx<'_>, args: &mut TaskStatsArgs) -> Result<TaskStats, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let period = *args.period.get_or_insert(REPORTED);
    let span = cx.span(period, zone)?;
    let active: Vec<&Task> = cx.active_in(zone, None).collect();
    let (mut created, mut closed) = (0, 0);
    for task in cx.tasks_in(zone) {
        created += u64::from(span.contains(task.created_at));
        closed += u64::from(kpi::closed_in(task, span));
    }
    let count = |keep: &dyn Fn(&Task) -> bool| figure(active.iter().filter(|t| keep(t)).count());
    let ages: Vec<SignedDuration> = active.iter().map(|t| cx.now.duration_since(t.created_at)).collect();
    Ok(TaskStats {
        zone: zone.cloned(),
        period,
        from: span.from,
        to: span.to,
        created,
        closed,
        active: figure(active.len()),
        stalled: count(&|t| t.status == TaskStatus::Stalled),
        breach: count(&|t| kpi::exceeded_hours(t, cx.now).is_some()),
        mean_age_h: kpi::mean_hours(&ages).map(kpi::one_decimal),
        by_criticality: CriticalityCounts::of(active.iter().copied()),
        by_work_type: WorkTypeCounts::of(active.iter().copied()),
    })
}
