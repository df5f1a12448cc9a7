//! Tasks that need somebody: stalled, ageing, unassigned, in breach; and all of them in figures.

mod breaches;
mod lists;
mod stats;

use crate::domain::sets::System;

use super::contract::{Module, read};
use super::disabled;

pub use breaches::{SlaBreachList, SlaBreaches};
pub use lists::{AgingList, AgingTasks, StalledList, StalledTasks, UnassignedList, UnassignedTasks};
pub use stats::{TaskStats, TaskStatsArgs, WorkTypeCounts};

pub(super) static MODULE: Module = Module {
    name: "tasks_extra",
    tools: &[
        &read("get_stalled_tasks", System::Tasks, lists::get_stalled_tasks),
        &read("get_aging_tasks", System::Tasks, lists::get_aging_tasks),
        &read("get_unassigned_tasks", System::Tasks, lists::get_unassigned_tasks),
        &read("get_sla_breaches", System::Tasks, breaches::get_sla_breaches),
        &read("get_task_stats", System::Tasks, stats::get_task_stats),
    ],
    disabled: disabled::TASKS_EXTRA,
};
