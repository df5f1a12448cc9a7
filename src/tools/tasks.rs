//! Tasks: searching, counting, one task's standing, and those of a site, a manager, a zone
//! and the asker.

mod count;
mod lists;
mod mine;
mod search;
mod status;

use crate::domain::sets::System;

use super::contract::{Module, read};

pub use count::{CountTasks, Group, GroupBy, TaskCounts};
pub use lists::{ManagerTasks, SiteTasks, StatusCounts, TasksByManager, TasksBySite, TasksByZone, ZoneTasks};
pub use mine::{MyTask, MyTasks, MyTasksPage, Share};
pub use search::{SearchTasks, TaskList};
pub use status::{TaskStanding, TaskStatusArgs};

pub(super) static MODULE: Module = Module {
    name: "tasks",
    tools: &[
        &read("search_tasks", System::Tasks, search::search_tasks),
        &read("get_task_status", System::Tasks, status::get_task_status),
        &read("get_tasks_by_site", System::Tasks, lists::get_tasks_by_site).also(&[System::Sites]),
        &read("get_tasks_by_manager", System::Tasks, lists::get_tasks_by_manager),
        &read("get_tasks_by_zone", System::Tasks, lists::get_tasks_by_zone),
        &read("get_my_tasks", System::Tasks, mine::get_my_tasks),
        &read("count_tasks", System::Tasks, count::count_tasks),
    ],
    disabled: &[],
};
