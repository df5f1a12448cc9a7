//! The prioritisation sheet: what is escalated, ageing, without a manager, what comes first and
//! whom it leaves without service.

mod impact;
mod rows;
mod summary;

use crate::domain::sets::System;

use super::contract::{Module, read};
use super::disabled;

pub use impact::{CustomerImpact, CustomerImpactArgs};
pub use rows::{
    EscalationList, Escalations, PanelLine, PanelPage, PanelRanking, PanelSearch, PriorityRanking, SearchPanel,
};
pub use summary::{PanelSummary, PanelSummaryArgs};

pub(super) static MODULE: Module = Module {
    name: "panel",
    tools: &[
        &read("get_panel_summary", System::Panel, summary::get_panel_summary).also(&[System::Tasks]),
        &read("search_panel", System::Panel, rows::search_panel).also(&[System::Tasks]),
        &read("get_escalations", System::Panel, rows::get_escalations).also(&[System::Tasks]),
        &read("get_priority_ranking", System::Panel, rows::get_priority_ranking).also(&[System::Tasks]),
        &read("get_customer_impact", System::Panel, impact::get_customer_impact).also(&[System::Tasks]),
    ],
    disabled: disabled::PANEL,
};
