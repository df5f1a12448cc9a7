//! From a tool's answer to an `Answer` in the Spanish of the field.
//!
//! Short plain lines, the most critical first, durations as people say them, local times by
//! zone, a zero said plainly, and in the footer what the figures are from and when. The words
//! stand in `templates/es/tools.toml`; this module decides which of them, and in what order.
//!
//! The severity of an item follows the order of its list, so that the formatter, which ranks
//! by severity, never turns an order that was asked for.

mod analysis;
mod crews;
mod equipment;
mod failure;
mod field;
mod figures;
mod health;
mod history;
mod kpis;
mod messages;
mod network;
mod panel;
mod pen;
mod quick;
mod sites;
mod task_row;
mod tasks;
mod what;
mod writes;

#[cfg(test)]
mod tests;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::domain::answer::Answer;
use crate::domain::ids::Zone;
use crate::domain::sets::System;
use crate::tools::{self, Cx, Output, ToolError};

use pen::Pen;
pub use pen::{duration, hours};
pub use writes::done;

/// The answer of a tool, ready for every channel.
pub fn render(tool: &str, output: &Output, cx: &Cx<'_>) -> Answer {
    let pen = Pen::new(*cx, zone_asked(output));
    let answer = match tool {
        "search_tasks" => read(output).map(|a| tasks::found(&pen, &a, output)),
        "get_task_status" => read(output).map(|a| task_row::standing(&pen, &a)),
        "get_tasks_by_site" => read(output).map(|a| tasks::of_site(&pen, &a, output)),
        "get_tasks_by_manager" => read(output).map(|a| tasks::of_manager(&pen, &a, output)),
        "get_tasks_by_zone" => read(output).map(|a| tasks::of_zone(&pen, &a, output)),
        "get_my_tasks" => read(output).map(|a| tasks::mine(&pen, &a)),
        "get_stalled_tasks" => read(output).map(|a| tasks::stalled(&pen, &a, output)),
        "get_task_timeline" => read(output).map(|a| history::timeline(&pen, &a)),
        "get_task_sla" => read(output).map(|a| history::sla(&pen, &a)),
        "get_task_notes" => read(output).map(|a| history::notes(&pen, &a)),
        "get_aging_tasks" => read(output).map(|a| tasks::aging(&pen, &a, output)),
        "get_unassigned_tasks" => read(output).map(|a| tasks::unassigned(&pen, &a, output)),
        "get_sla_breaches" => read(output).map(|a| tasks::breaches(&pen, &a, output)),
        "get_task_stats" => read(output).map(|a| kpis::stats(&pen, &a, output)),
        "count_tasks" => read(output).map(|a| figures::counts(&pen, &a, output)),
        "get_kpi_summary" => read(output).map(|a| figures::kpi(&pen, &a)),
        "get_kpi_realtime" => read(output).map(|a| kpis::realtime(&pen, &a)),
        "get_mttr" => read(output).map(|a| kpis::repair_time(&pen, &a, output)),
        "get_sla_compliance" => read(output).map(|a| kpis::compliance(&pen, &a, output)),
        "get_kpi_trend" => read(output).map(|a| kpis::trend(&pen, &a, output)),
        "get_backlog" => read(output).map(|a| kpis::backlog(&pen, &a)),
        "get_kpi_by_manager" => read(output).map(|a| kpis::by_manager(&pen, &a, output)),
        "get_recurrence_patterns" => read(output).map(|a| kpis::recurrence(&pen, &a, output)),
        "get_panel_summary" => read(output).map(|a| figures::panel(&pen, &a)),
        "get_daily_briefing" => read(output).map(|a| figures::briefing(&pen, &a)),
        "search_panel" => read(output).map(|a| panel::found(&pen, &a, output)),
        "get_escalations" => read(output).map(|a| panel::escalations(&pen, &a)),
        "get_priority_ranking" => read(output).map(|a| panel::ranking(&pen, &a)),
        "get_customer_impact" => read(output).map(|a| panel::impact(&pen, &a)),
        "get_shift_handover" => read(output).map(|a| analysis::handover(&pen, &a)),
        "classify_incident" => read(output).map(|a| analysis::incident(&pen, &a)),
        "compare_zones" => read(output).map(|a| kpis::zones(&pen, &a, output)),
        "analyze_site" => read(output).map(|a| analysis::site(&pen, &a, output)),
        "get_field_task_details" => read(output).map(|a| field::details(&pen, &a)),
        "find_nearest_sites" => read(output).map(|a| field::nearest(&pen, &a)),
        "get_distance_to_site" => read(output).map(|a| field::distance(&pen, &a)),
        "get_crew_status" => read(output).map(|a| crews::found(&pen, &a)),
        "find_nearest_crews" => read(output).map(|a| crews::nearest(&pen, &a)),
        "get_site_info" => read(output).map(|a| sites::card(&pen, &a)),
        "search_sites" => read(output).map(|a| sites::found(&pen, &a, output)),
        "get_site_access" => read(output).map(|a| sites::access(&pen, &a, output)),
        "get_site_inventory" => read(output).map(|a| equipment::inventory(&pen, &a, output)),
        "get_site_contacts" => read(output).map(|a| equipment::contacts(&pen, &a)),
        "get_site_history" => read(output).map(|a| history::of_site(&pen, &a, output)),
        "get_network_health" => read(output).map(|a| network::health(&pen, &a)),
        "get_site_alarms" => read(output).map(|a| network::of_site(&pen, &a)),
        "get_active_alarms" => read(output).map(|a| network::active(&pen, &a)),
        "correlate_alarms_tasks" => read(output).map(|a| network::correlation(&pen, &a)),
        "get_monitor_status" => read(output).map(|a| equipment::monitors(&pen, &a)),
        "get_monitor_alerts" => read(output).map(|a| equipment::alerts(&pen, &a)),
        "get_monitor_thresholds" => read(output).map(|a| equipment::thresholds(&pen, &a)),
        "send_email" => read(output).map(|a| messages::mail(&pen, &a)),
        "create_email_draft" => read(output).map(|a| messages::draft(&pen, &a)),
        "list_email_templates" => read(output).map(|a| messages::email_templates(&a)),
        "send_whatsapp" => read(output).map(|a| messages::message(&pen, &a)),
        "list_whatsapp_templates" => read(output).map(|a| messages::whatsapp_templates(&a)),
        "get_whatsapp_media" => read(output).map(|a| messages::media(&pen, &a, output)),
        "get_system_health" => read(output).map(|a| health::standing(&pen, &a)),
        "get_service_uptime" => read(output).map(|a| health::uptime(&pen, &a, output)),
        "get_service_latency" => read(output).map(|a| health::latency(&a)),
        "quick_lookup" => read(output).map(|a| quick::found(&pen, &a, output)),
        "quick_site_status" => read(output).map(|a| quick::glance(&pen, &a)),
        "update_task_status" => read(output).map(|a| writes::update(&pen, &a)),
        "add_task_note" => read(output).map(|a| writes::note(&pen, &a)),
        "create_field_task" => read(output).map(|a| writes::create(&pen, &a)),
        _ => None,
    };
    let answer = answer.unwrap_or_else(|| Answer::text(pen::say("unrendered", &[])));
    pen.signed(answer, &systems_of(tool, output))
}

/// One line that names a preview: that of the tool, else its first line.
pub fn summary(tool: &str, output: &Output, answer: &Answer) -> String {
    let first = || answer.lead.first().map(|line| line.text.clone());
    writes::summary(tool, output).or_else(first).unwrap_or_default()
}

/// What a person reads when a tool did not answer.
pub fn failure(tool: &str, error: &ToolError, cx: &Cx<'_>) -> Answer {
    let pen = Pen::new(*cx, None);
    let answer = failure::said(&pen, tool, error);
    match error {
        // That something is not there is a statement about the data, and that has an age.
        ToolError::NotFound { kind, .. } => pen.signed(answer, &[system_of_kind(kind)]),
        _ => answer,
    }
}

/// An answer put together from several: the footer of all its sources, in a zone's time.
pub fn footed(mut answer: Answer, zone: Option<Zone>, cx: &Cx<'_>) -> Answer {
    answer.footer = Pen::new(*cx, zone).footer(&answer.sources);
    answer
}

/// What an answer draws on; a card only on what its kind does.
fn systems_of(tool: &str, output: &Output) -> Vec<System> {
    let kind = output
        .value
        .get("kind")
        .and_then(Value::as_str)
        .filter(|_| tool == "quick_lookup");
    match kind {
        Some("site") => vec![System::Tasks, System::Network, System::Sites],
        Some("crew" | "employee") => vec![System::Field, System::Tasks],
        Some("several") => vec![System::Sites, System::Field],
        Some(kind) => vec![system_of_kind(kind)],
        None => tools::find(tool).map(|spec| spec.tool.systems()).unwrap_or_default(),
    }
}

/// The system that knows of a kind of record.
fn system_of_kind(kind: &str) -> System {
    match kind {
        "task" => System::Tasks,
        "alarm" | "monitor" | "metric" => System::Network,
        "manager" | "person" | "crew" => System::Field,
        _ => System::Sites,
    }
}

fn read<A: DeserializeOwned>(output: &Output) -> Option<A> {
    A::deserialize(&output.value).ok()
}

/// The zone an answer is about: its time zone is the one to show times in.
fn zone_asked(output: &Output) -> Option<Zone> {
    const PLACES: [&str; 7] = [
        "/zone",
        "/in_zone",
        "/site_zone",
        "/task/zone",
        "/card/zone",
        "/site/zone",
        "/manager_zone",
    ];
    let named = PLACES
        .iter()
        .find_map(|place| output.value.pointer(place).and_then(Value::as_str));
    let asked = output.params.get("zone").and_then(Value::as_str);
    named.or(asked).and_then(|zone| Zone::parse(zone).ok())
}
