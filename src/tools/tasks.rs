//! Tasks: searching, counting, one task's standing, and those of a site, a manager, a zone
//! and the asker.

mod search;
mod status;

use crate::domain::sets::System;

use super::contract::{Module, read};

pub use search::{SearchTasks, TaskList};
pub use status::{TaskStanding, TaskStatusArgs};

pub(super) static MODULE: Module = Module {
    name: "tasks",
    tools: &[
        &read("search_tasks", System::Tasks, search::search_tasks),
        &read("get_task_status", System::Tasks, status::get_task_status),
    ],
    disabled: &[],
};
