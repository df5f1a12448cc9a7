//! `correlate_alarms_tasks`: which active alarms somebody works on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{AlarmId, SiteId, TaskId, Zone};
use crate::domain::records::{Alarm, Task};
use crate::domain::sets::{Criticality, TaskStatus};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, Offset};
use crate::tools::rows::{AlarmRow, Who, figure};

/// Active alarms with the task about each, and those without one; the most severe first, then the oldest.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrelateAlarms {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this site, like SITE-001
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_id: Option<SiteId>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Active alarms and the tasks about them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlarmCounts {
    /// Active alarms.
    #[schemars(extend("labels" = ["alarmas", "alarmas activas", "total"]))]
    pub total: u64,
    /// Of them, with a task.
    #[schemars(extend("labels" = ["con tarea"]))]
    pub with_task: u64,
    /// Of them, without one.
    #[schemars(extend("labels" = ["sin tarea"]))]
    pub without_task: u64,
    /// Of those with a task, the task is closed or cancelled and the alarm still there.
    #[schemars(extend("labels" = ["con la tarea ya cerrada", "tarea cerrada"]))]
    pub task_over: u64,
}

/// Active alarms and the tasks about them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correlation {
    /// The zone asked about.
    pub zone: Option<Zone>,
    /// The site asked about.
    pub site_id: Option<SiteId>,
    /// The site's zone.
    pub site_zone: Option<Zone>,
    /// How many.
    #[serde(flatten)]
    pub counts: AlarmCounts,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// The rows listed.
    pub rows: Vec<AlarmAndTask>,
    /// Every matching alarm, in the same order.
    pub ids: Vec<AlarmId>,
}

impl Outcome for Correlation {
    fn count(&self) -> Option<u64> {
        Some(self.counts.total)
    }
}

/// An alarm with the task about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlarmAndTask {
    /// The alarm.
    pub alarm: AlarmRow,
    /// The task about it; null when there is none.
    pub task: Option<AlarmTask>,
}

/// The task about an alarm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlarmTask {
    /// Its id.
    pub id: TaskId,
    /// Its title.
    pub title: String,
    /// What it is in.
    pub status: TaskStatus,
    /// How critical.
    pub criticality: Criticality,
    /// Who has it.
    pub held_by: Who,
}

pub(super) fn correlate_alarms_tasks(cx: &Cx<'_>, args: &mut CorrelateAlarms) -> Result<Correlation, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let site = args.site_id.as_ref().map(|id| cx.site(id)).transpose()?;
    let matching: Vec<(&Alarm, Option<&Task>)> = cx
        .active_alarms_in(zone)
        .filter(|a| site.is_none_or(|site| a.site_id == site.id))
        .map(|a| (a, cx.task_of_alarm(a)))
        .collect();
    let with_task = matching.iter().filter(|(_, task)| task.is_some()).count();
    let task_over = matching
        .iter()
        .filter(|(_, task)| task.is_some_and(|t| !t.status.is_active()));
    let shown = matching.iter().skip(args.offset.rows()).take(args.limit.rows());
    Ok(Correlation {
        zone: zone.cloned(),
        site_id: site.map(|site| site.id.clone()),
        site_zone: site.map(|site| site.zone.clone()),
        counts: AlarmCounts {
            total: figure(matching.len()),
            with_task: figure(with_task),
            without_task: figure(matching.len() - with_task),
            task_over: figure(task_over.count()),
        },
        offset: figure(args.offset.rows()),
        rows: shown
            .map(|(alarm, task)| AlarmAndTask {
                alarm: cx.alarm_row(alarm),
                task: task.map(|task| AlarmTask {
                    id: task.id.clone(),
                    title: task.title.clone(),
                    status: task.status,
                    criticality: task.criticality,
                    held_by: cx.held_by(task),
                }),
            })
            .collect(),
        ids: matching.iter().map(|(alarm, _)| alarm.id.clone()).collect(),
    })
}

impl<'a> Cx<'a> {
    /// The task about an alarm, whichever of the two names the other.
    pub(in crate::tools) fn task_of_alarm(&self, alarm: &Alarm) -> Option<&'a Task> {
        let named = alarm.task_id.as_ref().and_then(|id| self.world.task(id));
        named.or_else(|| {
            let mut of_site = self.world.tasks_of_site(&alarm.site_id);
            of_site.find(|task| task.alarm_id.as_ref() == Some(&alarm.id))
        })
    }
}
