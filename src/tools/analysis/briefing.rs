//! `get_daily_briefing`: what matters at the start of a shift.

use jiff::ToSpan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::period::Span;
use crate::domain::records::{Alarm, Task};
use crate::domain::sets::{AlarmSeverity, Criticality, SiteStatus, TaskStatus};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::rows::{AlarmRow, TaskRow, figure};
use crate::tools::sites::SiteRow;
use crate::world::kpi;

/// How many sites, tasks and alarms a briefing names of each.
const NAMED_MAX: usize = 10;
/// What *new* and *closed* look back over, hours.
const DAY_HOURS: i64 = 24;
/// What *due soon* looks ahead, hours: a shift.
const SHIFT_HOURS: f64 = 8.0;

/// What matters at the start of a shift, critical first: figures of tasks, sites and alarms, then what is down, critical or unattended.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefingArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
}

/// What matters at the start of a shift.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Briefing {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// Active tasks.
    #[schemars(extend("labels" = ["tareas activas", "activas", "abiertas"]))]
    pub active: u64,
    /// Active critical tasks.
    #[schemars(extend("labels" = ["criticas", "tareas criticas"]))]
    pub critical: u64,
    /// Stalled tasks.
    #[schemars(extend("labels" = ["estancadas"]))]
    pub stalled: u64,
    /// Stalled critical tasks.
    #[schemars(extend("labels" = ["criticas estancadas"]))]
    pub critical_stalled: u64,
    /// Active tasks past due.
    #[schemars(extend("labels" = ["vencidas", "fuera de plazo", "en breach"]))]
    pub overdue: u64,
    /// Active tasks due within the next 8 hours.
    #[schemars(extend("labels" = ["vencen", "por vencer", "vencen en 8 h"]))]
    pub due_soon: u64,
    /// Active tasks that are escalated.
    #[schemars(extend("labels" = ["escaladas"]))]
    pub escalated: u64,
    /// Active tasks without a manager.
    #[schemars(extend("labels" = ["sin gestor"]))]
    pub unassigned: u64,
    /// Tasks created in the last 24 hours.
    #[schemars(extend("labels" = ["nuevas", "creadas", "en 24 h"]))]
    pub created_24h: u64,
    /// Tasks closed in the last 24 hours.
    #[schemars(extend("labels" = ["cerradas", "en 24 h"]))]
    pub closed_24h: u64,
    /// Sites that are down.
    #[schemars(extend("labels" = ["sitios caidos", "caidos"]))]
    pub sites_down: u64,
    /// Sites that work badly.
    #[schemars(extend("labels" = ["degradados"]))]
    pub sites_degraded: u64,
    /// Active critical alarms.
    #[schemars(extend("labels" = ["alarmas criticas"]))]
    pub critical_alarms: u64,
    /// Active critical alarms without a task.
    #[schemars(extend("labels" = ["sin tarea", "alarmas sin tarea"]))]
    pub critical_alarms_without_task: u64,
    /// The sites that are down, the most critical first.
    pub down: Vec<SiteRow>,
    /// The critical tasks: escalated or past due first, then in the usual order.
    pub tasks: Vec<TaskRow>,
    /// The critical alarms nobody has a task for.
    pub alarms: Vec<AlarmRow>,
}

impl Outcome for Briefing {}

pub(super) fn get_daily_briefing(cx: &Cx<'_>, args: &mut BriefingArgs) -> Result<Briefing, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let all: Vec<&Task> = cx.tasks_in(zone).collect();
    let active: Vec<&Task> = all.iter().copied().filter(|t| t.status.is_active()).collect();
    let count = |keep: &dyn Fn(&Task) -> bool| figure(active.iter().filter(|t| keep(t)).count());
    let last_day = Span {
        from: cx.now.checked_sub(DAY_HOURS.hours()).unwrap_or(cx.now),
        to: cx.now,
    };
    let is_critical = |t: &Task| t.criticality == Criticality::Critical;
    let is_stalled = |t: &Task| t.status == TaskStatus::Stalled;
    let is_overdue = |t: &Task| kpi::exceeded_hours(t, cx.now).is_some();
    let sites = || cx.world.sites().iter().filter(|s| zone.is_none_or(|z| s.zone == *z));
    let critical_alarms: Vec<&Alarm> = cx
        .active_alarms_in(zone)
        .filter(|a| a.severity == AlarmSeverity::Critical)
        .collect();
    let unattended = || critical_alarms.iter().filter(|a| a.task_id.is_none());
    let mut critical: Vec<&Task> = active.iter().copied().filter(|t| is_critical(t)).collect();
    critical.sort_by_key(|t| !(t.escalation_level > 0 || is_overdue(t)));
    Ok(Briefing {
        zone: zone.cloned(),
        active: figure(active.len()),
        critical: count(&is_critical),
        stalled: count(&is_stalled),
        critical_stalled: count(&|t| is_critical(t) && is_stalled(t)),
        overdue: count(&is_overdue),
        due_soon: count(&|t| due_within_shift(cx, t)),
        escalated: count(&|t| t.escalation_level > 0),
        unassigned: count(&|t| t.manager_id.is_none()),
        created_24h: figure(all.iter().filter(|t| last_day.contains(t.created_at)).count()),
        closed_24h: figure(all.iter().filter(|t| kpi::closed_in(t, last_day)).count()),
        sites_down: figure(sites().filter(|s| s.status == SiteStatus::Down).count()),
        sites_degraded: figure(sites().filter(|s| s.status == SiteStatus::Degraded).count()),
        critical_alarms: figure(critical_alarms.len()),
        critical_alarms_without_task: figure(unattended().count()),
        down: cx
            .down_sites(zone)
            .into_iter()
            .take(NAMED_MAX)
            .map(|s| cx.site_row(s))
            .collect(),
        tasks: critical.into_iter().take(NAMED_MAX).map(|t| cx.task_row(t)).collect(),
        alarms: unattended().take(NAMED_MAX).map(|a| cx.alarm_row(a)).collect(),
    })
}

pub(super) fn due_within_shift(cx: &Cx<'_>, task: &Task) -> bool {
    let hours = task.due_at.map(|due| kpi::hours_between(cx.now, due));
    hours.is_some_and(|h| (0.0..=SHIFT_HOURS).contains(&h))
}
