//! Answers drawn from several systems at once: the shift, the zones, a site, an incident.

mod briefing;
mod classify;
mod compare;
mod handover;
mod signs;
mod site;

use crate::domain::sets::System;

use super::contract::{Module, read};

pub use briefing::{Briefing, BriefingArgs};
pub use classify::{Because, ClassifyIncident, IncidentClass, Reason};
pub(super) use classify::{alike, category_of};
pub use compare::{CompareZones, ZoneFigures, ZonesCompared};
pub use handover::{ShiftHandover, ShiftHandoverArgs};
pub use site::{AnalyzeSite, RepeatedAlarm, SiteAnalysis, Together};

pub(super) static MODULE: Module = Module {
    name: "analysis",
    tools: &[
        &read("get_daily_briefing", System::Tasks, briefing::get_daily_briefing)
            .also(&[System::Network, System::Sites]),
        &read("get_shift_handover", System::Tasks, handover::get_shift_handover),
        &read("classify_incident", System::Tasks, classify::classify_incident).also(&[System::Network, System::Sites]),
        &read("compare_zones", System::Kpis, compare::compare_zones),
        &read("analyze_site", System::Tasks, site::analyze_site).also(&[System::Network]),
    ],
    disabled: &[],
};
