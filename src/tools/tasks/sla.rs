//! `get_task_sla`: a task's due time, and how far it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::TaskId;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::rows::TaskRow;

/// A task's due time, the time that remains or is exceeded, and the SLA hours of its criticality.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskSlaArgs {
    /// the task, like T-10001
    pub task_id: TaskId,
}

/// Where a task stands with its SLA.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskSla {
    /// Hours that a new task of this criticality gets; the task's own due time is what its system says.
    #[schemars(extend("labels" = ["sla", "horas de sla", "sla de"]))]
    pub sla_hours: i64,
    /// The task: `due_at`, `remaining_h`, `overdue_h`.
    #[serde(flatten)]
    pub task: TaskRow,
}

impl Outcome for TaskSla {}

pub(super) fn get_task_sla(cx: &Cx<'_>, args: &mut TaskSlaArgs) -> Result<TaskSla, ToolError> {
    let task = cx.task(&args.task_id)?;
    Ok(TaskSla {
        sla_hours: task.criticality.sla_hours(),
        task: cx.task_row(task),
    })
}
