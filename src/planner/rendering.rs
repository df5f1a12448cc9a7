//! From a tool's answer to an `Answer` in the Spanish of the field.
//!
//! Short plain lines, the most critical first, durations as people say them, local times by
//! zone, a zero said plainly, and in the footer what the figures are from and when. The words
//! stand in `templates/es/tools.toml`; this module decides which of them, and in what order.
//!
//! The severity of an item follows the order of its list, so that the formatter, which ranks
//! by severity, never turns an order that was asked for.

mod failure;
mod field;
mod figures;
mod network;
mod pen;
mod quick;
mod sites;
mod task_row;
mod tasks;
mod what;

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
        "count_tasks" => read(output).map(|a| figures::counts(&pen, &a, output)),
        "get_kpi_summary" => read(output).map(|a| figures::kpi(&pen, &a)),
        "get_panel_summary" => read(output).map(|a| figures::panel(&pen, &a)),
        "get_daily_briefing" => read(output).map(|a| figures::briefing(&pen, &a)),
        "get_field_task_details" => read(output).map(|a| field::details(&pen, &a)),
        "find_nearest_sites" => read(output).map(|a| field::nearest(&pen, &a)),
        "get_distance_to_site" => read(output).map(|a| field::distance(&pen, &a)),
        "get_site_info" => read(output).map(|a| sites::card(&pen, &a)),
        "search_sites" => read(output).map(|a| sites::found(&pen, &a, output)),
        "get_site_access" => read(output).map(|a| sites::access(&pen, &a, output)),
        "get_network_health" => read(output).map(|a| network::health(&pen, &a)),
        "get_site_alarms" => read(output).map(|a| network::of_site(&pen, &a)),
        "get_active_alarms" => read(output).map(|a| network::active(&pen, &a)),
        "quick_lookup" => read(output).map(|a| quick::found(&pen, &a, output)),
        "quick_site_status" => read(output).map(|a| quick::glance(&pen, &a)),
        _ => None,
    };
    let answer = answer.unwrap_or_else(|| Answer::text(pen::say("unrendered", &[])));
    pen.signed(answer, &systems_of(tool, output))
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
        "alarm" | "monitor" => System::Network,
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
