//! Sites: the card, the search, who may enter, what stands there, whom to call, what was.

mod contacts;
mod entry;
mod history;
mod info;
mod inventory;
mod search;

use crate::domain::sets::System;

use super::contract::{Module, read};
use super::disabled;

pub use contacts::{SiteContacts, SiteContactsArgs};
pub use entry::SiteAccessArgs;
pub use history::{HistoryEntry, SiteHistory, SiteHistoryArgs};
pub use info::{SiteCard, SiteInfoArgs};
pub use inventory::{AssetRow, SiteInventory, SiteInventoryArgs};
pub use search::{SearchSites, SiteList, SiteRow};

pub(super) static MODULE: Module = Module {
    name: "sites",
    tools: &[
        &read("get_site_info", System::Sites, info::get_site_info).also(&[System::Tasks, System::Network]),
        &read("search_sites", System::Sites, search::search_sites),
        &read("get_site_access", System::Sites, entry::get_site_access),
        &read("get_site_inventory", System::Sites, inventory::get_site_inventory),
        &read("get_site_contacts", System::Sites, contacts::get_site_contacts).also(&[System::Tasks]),
        &read("get_site_history", System::Tasks, history::get_site_history).also(&[System::Network]),
    ],
    disabled: disabled::SITES,
};
