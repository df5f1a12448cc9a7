//! What a crew needs in the field: the task with everything about it, sites by distance.

mod cards;
mod details;
mod distance;

use crate::domain::sets::System;

use super::contract::{Module, read};

pub use cards::{CrewCard, PersonCard};
pub use details::{Contact, FieldSite, FieldTask, FieldTaskArgs, NoteRow};
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
    ],
    disabled: &[],
};
