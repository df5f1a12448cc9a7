//! The short answers: what an id or a name is, and the three lines about a site.

mod lookup;
mod status;

use crate::domain::sets::System;

use super::contract::{Module, read};
use super::disabled;

pub use lookup::{AccessAt, AssetCard, Choice, Choices, Found, MonitorCard, QuickLookup};
pub use status::{QuickSiteStatus, SiteGlance};

pub(super) static MODULE: Module = Module {
    name: "quick",
    tools: &[
        &read("quick_lookup", System::Sites, lookup::quick_lookup).also(&[
            System::Tasks,
            System::Network,
            System::Field,
        ]),
        &read("quick_site_status", System::Tasks, status::quick_site_status).also(&[System::Network, System::Sites]),
    ],
    disabled: disabled::QUICK,
};
