//! Tasks that need somebody: stalled, ageing, unassigned, in breach.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::records::Task;
use crate::domain::sets::{Criticality, System, TaskStatus};

use super::contract::{Cx, Module, Outcome, ToolError, read};
use super::params::{Limit, Offset};
use super::rows::TaskPage;

pub(super) static MODULE: Module = Module {
    name: "tasks_extra",
    tools: &[&read("get_stalled_tasks", System::Tasks, get_stalled_tasks)],
    disabled: &[],
};

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

fn get_stalled_tasks(cx: &Cx<'_>, args: &mut StalledTasks) -> Result<StalledList, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let matching: Vec<&Task> = cx
        .world
        .active_tasks()
        .filter(|t| t.status == TaskStatus::Stalled)
        .filter(|t| zone.is_none_or(|z| t.zone == *z))
        .filter(|t| args.criticality.is_none_or(|c| t.criticality == c))
        .collect();
    Ok(StalledList {
        in_zone: zone.cloned(),
        of_criticality: args.criticality,
        page: cx.task_page(&matching, args.limit.rows(), args.offset),
    })
}
