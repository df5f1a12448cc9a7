//! `get_task_status`: where one task stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::TaskId;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::rows::TaskRow;

/// Where one task stands: status, criticality, who has it, its age, and the time to or past its SLA.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskStatusArgs {
    /// the task, like T-10001
    pub task_id: TaskId,
}

/// Where one task stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskStanding {
    /// The task.
    #[serde(flatten)]
    pub task: TaskRow,
}

impl Outcome for TaskStanding {}

pub(super) fn get_task_status(cx: &Cx<'_>, args: &mut TaskStatusArgs) -> Result<TaskStanding, ToolError> {
    let task = cx.task(&args.task_id)?;
    Ok(TaskStanding {
        task: cx.task_row(task),
    })
}
