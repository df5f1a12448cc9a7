//! Sites: the card, the search, who may enter.

mod entry;
mod info;
mod search;

use crate::domain::sets::System;

use super::contract::{Module, read};

pub use entry::SiteAccessArgs;
pub use info::{SiteCard, SiteInfoArgs};
pub use search::{SearchSites, SiteList, SiteRow};

pub(super) static MODULE: Module = Module {
    name: "sites",
    tools: &[
        &read("get_site_info", System::Sites, info::get_site_info).also(&[System::Tasks, System::Network]),
        &read("search_sites", System::Sites, search::search_sites),
        &read("get_site_access", System::Sites, entry::get_site_access),
    ],
    disabled: &[],
};
