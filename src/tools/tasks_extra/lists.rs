//! Active tasks that nobody moves or nobody has: stalled, ageing, unassigned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::records::Task;
use crate::domain::sets::{Criticality, TaskStatus};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Hours, Limit, Offset};
use crate::tools::rows::TaskPage;
use crate::world::kpi;

/// Stalled tasks with how long they have stood still, the most critical first, then the oldest.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StalledTasks {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Stalled tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StalledList {
    /// The zone asked about.
    pub in_zone: Option<Zone>,
    /// The criticality asked about.
    pub of_criticality: Option<Criticality>,
    /// The tasks; `idle_h` is how long they have stood still.
    #[serde(flatten)]
    pub page: TaskPage,
}

impl Outcome for StalledList {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

pub(super) fn get_stalled_tasks(cx: &Cx<'_>, args: &mut StalledTasks) -> Result<StalledList, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let active = cx.active_in(zone, args.criticality);
    let matching: Vec<&Task> = active.filter(|t| t.status == TaskStatus::Stalled).collect();
    Ok(StalledList {
        in_zone: zone.cloned(),
        of_criticality: args.criticality,
        page: cx.task_page(&matching, args.limit.rows(), args.offset),
    })
}

/// Active tasks, whatever their status, that have not moved for more than so many hours, the most critical first, then the oldest.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgingTasks {
    /// without movement for more than so many hours
    #[serde(default)]
    pub hours: Hours<48>,
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Active tasks without movement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgingList {
    /// The zone asked about.
    pub in_zone: Option<Zone>,
    /// The criticality asked about.
    pub of_criticality: Option<Criticality>,
    /// More than so many hours without movement.
    #[schemars(extend("labels" = ["mas de", "sin movimiento", "horas sin movimiento"]))]
    pub hours: f64,
    /// The tasks; `idle_h` is how long they have not moved.
    #[serde(flatten)]
    pub page: TaskPage,
}

impl Outcome for AgingList {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

pub(super) fn get_aging_tasks(cx: &Cx<'_>, args: &mut AgingTasks) -> Result<AgingList, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let hours = args.hours.figure();
    let active = cx.active_in(zone, args.criticality);
    let matching: Vec<&Task> = active.filter(|t| kpi::is_aging(t, hours, cx.now)).collect();
    Ok(AgingList {
        in_zone: zone.cloned(),
        of_criticality: args.criticality,
        hours,
        page: cx.task_page(&matching, args.limit.rows(), args.offset),
    })
}

/// Active tasks without a manager, the most critical first, then the oldest.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnassignedTasks {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Active tasks without a manager.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnassignedList {
    /// The zone asked about.
    pub in_zone: Option<Zone>,
    /// The criticality asked about.
    pub of_criticality: Option<Criticality>,
    /// The tasks.
    #[serde(flatten)]
    pub page: TaskPage,
}

impl Outcome for UnassignedList {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

pub(super) fn get_unassigned_tasks(cx: &Cx<'_>, args: &mut UnassignedTasks) -> Result<UnassignedList, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let active = cx.active_in(zone, args.criticality);
    let matching: Vec<&Task> = active.filter(|t| t.manager_id.is_none()).collect();
    Ok(UnassignedList {
        in_zone: zone.cloned(),
        of_criticality: args.criticality,
        page: cx.task_page(&matching, args.limit.rows(), args.offset),
    })
}
