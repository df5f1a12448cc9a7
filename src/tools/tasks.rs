//! Tasks: searching, counting, one task's standing, history and SLA, and those of a site, a
//! manager, a zone and the asker.

mod count;
mod lists;
mod mine;
mod note;
mod search;
mod sla;
mod status;
mod timeline;
mod update;

use crate::domain::sets::System;

use super::contract::{Module, read};
use super::disabled;
use super::writing::write;

pub use count::{CountTasks, Group, GroupBy, TaskCounts};
pub use lists::{ManagerTasks, SiteTasks, StatusCounts, TasksByManager, TasksBySite, TasksByZone, ZoneTasks};
pub use mine::{MyTask, MyTasks, MyTasksPage, Share};
pub use note::{AddNote, NotePreview};
pub use search::{SearchTasks, TaskList};
pub use sla::{TaskSla, TaskSlaArgs};
pub use status::{TaskStanding, TaskStatusArgs};
pub use timeline::{EventRow, NoteRow, TaskNotes, TaskNotesArgs, TaskTimeline, TaskTimelineArgs};
pub use update::{Lack, TaskFacts, TaskUpdate, UpdateTask};

pub(super) static MODULE: Module = Module {
    name: "tasks",
    tools: &[
        &read("search_tasks", System::Tasks, search::search_tasks),
        &read("get_task_status", System::Tasks, status::get_task_status),
        &read("get_tasks_by_site", System::Tasks, lists::get_tasks_by_site).also(&[System::Sites]),
        &read("get_tasks_by_manager", System::Tasks, lists::get_tasks_by_manager),
        &read("get_tasks_by_zone", System::Tasks, lists::get_tasks_by_zone),
        &read("get_my_tasks", System::Tasks, mine::get_my_tasks),
        &read("get_task_timeline", System::Tasks, timeline::get_task_timeline),
        &read("get_task_sla", System::Tasks, sla::get_task_sla),
        &read("get_task_notes", System::Tasks, timeline::get_task_notes),
        &read("count_tasks", System::Tasks, count::count_tasks),
        &write("update_task_status", System::Tasks, update::preview, update::commit).also(&[System::Sites]),
        &write("add_task_note", System::Tasks, note::preview, note::commit),
    ],
    disabled: disabled::TASKS,
};
