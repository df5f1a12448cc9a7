//! What a crew needs in the field: the task with everything about it, sites and other crews by
//! distance.

mod cards;
mod create;
mod crews;
mod details;
mod distance;

use crate::domain::sets::System;

use super::contract::{Module, read};
use super::disabled;
use super::writing::write;

pub use cards::{CrewCard, PersonCard};
pub use create::{CreateTask, NewTask};
pub use crews::{
    CrewList, CrewRow, CrewStatusArgs, CrewStatusCounts, CurrentTask, NearCrew, NearestCrews, NearestCrewsArgs,
};
pub use details::{Contact, FieldSite, FieldTask, FieldTaskArgs};
pub use distance::{DistanceArgs, NearSite, NearestSites, NearestSitesArgs, Origin, SiteDistance};

pub(super) static MODULE: Module = Module {
    name: "field",
    tools: &[
        &read("get_field_task_details", System::Field, details::get_field_task_details).also(&[
            System::Tasks,
            System::Sites,
            System::Network,
        ]),
        &read("find_nearest_sites", System::Sites, distance::find_nearest_sites).also(&[System::Tasks]),
        &read("get_distance_to_site", System::Sites, distance::get_distance_to_site),
        &read("get_crew_status", System::Field, crews::get_crew_status).also(&[System::Tasks]),
        &read("find_nearest_crews", System::Field, crews::find_nearest_crews).also(&[System::Tasks]),
        &write("create_field_task", System::Tasks, create::preview, create::commit).also(&[System::Sites]),
    ],
    disabled: disabled::FIELD,
};
