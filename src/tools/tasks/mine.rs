//! `get_my_tasks`: what the asker has to do, the most urgent first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::caller::Person;
use crate::domain::ids::TaskId;
use crate::domain::records::Task;
use crate::domain::sets::{Role, StatusFilter};
use crate::tools::contract::{Cx, Outcome, Refusal, ToolError};
use crate::tools::params::{Limit, Offset};
use crate::tools::rows::{TaskRow, figure};

use super::search::due_key;

/// The asker's tasks, the most urgent first: a technician's own and then the rest of the crew's, a manager's, the zone's escalated ones for a supervisor, every escalated one for the control room.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MyTasks {
    /// the status, `active` or `any`; default active
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusFilter>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Why a task is among the asker's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Share {
    /// Assigned to the asker.
    Own,
    /// The rest of the crew's.
    Crew,
    /// Managed by the asker.
    Managed,
    /// Escalated, and the asker watches over it.
    Escalated,
}

/// A task with why it is the asker's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MyTask {
    /// Why.
    pub share: Share,
    /// The task.
    #[serde(flatten)]
    pub task: TaskRow,
}

/// The asker's tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MyTasksPage {
    /// Which statuses were looked at.
    pub status: StatusFilter,
    /// How the asker's tasks were chosen.
    pub share: Share,
    /// How many match.
    #[schemars(extend("labels" = ["tareas", "total", "tienes"]))]
    pub total: u64,
    /// How many of them are the rest of the crew's.
    #[schemars(extend("labels" = ["de la cuadrilla", "del resto de la cuadrilla"]))]
    pub of_crew: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// The rows listed.
    pub tasks: Vec<MyTask>,
    /// Every matching id, in the same order.
    pub ids: Vec<TaskId>,
}

impl Outcome for MyTasksPage {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

pub(super) fn get_my_tasks(cx: &Cx<'_>, args: &mut MyTasks) -> Result<MyTasksPage, ToolError> {
    let status = *args.status.get_or_insert(StatusFilter::Active);
    let Some(role) = cx.caller.role() else {
        return Err(ToolError::Refused {
            reason: Refusal::NotRegistered,
        });
    };
    let (share, mut matching) = match (role, cx.caller.person()) {
        (Role::Technician, Some(me)) => (Share::Own, of_technician(cx, me)),
        (Role::Manager, Some(me)) => (
            Share::Managed,
            share_all(Share::Managed, cx.world.tasks_of_manager(&me.id)),
        ),
        (Role::Supervisor, Some(Person { zone: Some(zone), .. })) => {
            let escalated = cx.world.tasks_of_zone(zone).filter(|t| t.escalation_level > 0);
            (Share::Escalated, share_all(Share::Escalated, escalated))
        }
        _ => {
            let escalated = cx.world.tasks().iter().filter(|t| t.escalation_level > 0);
            (Share::Escalated, share_all(Share::Escalated, escalated))
        }
    };
    matching.retain(|(_, t)| status.admits(t.status));
    matching.sort_by(|(a_share, a), (b_share, b)| a_share.cmp(b_share).then_with(|| due_key(a).cmp(&due_key(b))));
    let shown = matching.iter().skip(args.offset.rows()).take(args.limit.rows());
    Ok(MyTasksPage {
        status,
        share,
        total: figure(matching.len()),
        of_crew: figure(matching.iter().filter(|(share, _)| *share == Share::Crew).count()),
        offset: figure(args.offset.rows()),
        tasks: shown
            .map(|(share, task)| MyTask {
                share: *share,
                task: cx.task_row(task),
            })
            .collect(),
        ids: matching.iter().map(|(_, task)| task.id.clone()).collect(),
    })
}

/// Own tasks, then what else the crew has.
fn of_technician<'a>(cx: &Cx<'a>, me: &Person) -> Vec<(Share, &'a Task)> {
    let own = share_all(Share::Own, cx.world.tasks_of_technician(&me.id));
    let crew = me.crew_id.iter().flat_map(|crew| cx.world.tasks_of_crew(crew));
    let rest = crew.filter(|t| t.technician_id.as_ref() != Some(&me.id));
    own.into_iter().chain(share_all(Share::Crew, rest)).collect()
}

fn share_all<'a>(share: Share, tasks: impl Iterator<Item = &'a Task>) -> Vec<(Share, &'a Task)> {
    tasks.map(|task| (share, task)).collect()
}
