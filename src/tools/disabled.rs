//! Tools that are known and not run: older and overlapping names that a model or a client may
//! try. A call to one is answered with why, since when, and what to use instead.
//!
//! The rows stand per module, as the catalogue counts them; each replacement is a tool of the
//! catalogue, never another disabled one.

use super::contract::{Disabled, Reason};

use Reason::{Automatic, Bulk, Merged, Narrower, OtherSystem, Personal, Renamed, Unsafe};

/// Since when the first of them are: the day the catalogue was settled.
const SETTLED: &str = "2026-11-30";

const fn row(name: &'static str, reason: Reason, replacement: &'static str) -> Disabled {
    Disabled {
        name,
        reason,
        since: SETTLED,
        replacement,
    }
}

pub(super) const TASKS: &[Disabled] = &[
    row("list_tasks", Renamed, "search_tasks"),
    row("get_tasks", Renamed, "search_tasks"),
    row("get_task", Narrower, "get_task_status"),
    row("get_task_history", Renamed, "get_task_timeline"),
    row("assign_task", OtherSystem, "update_task_status"),
    row("close_task", Merged, "update_task_status"),
    row("delete_task", Unsafe, "update_task_status"),
    row("add_comment", Renamed, "add_task_note"),
];

pub(super) const TASKS_EXTRA: &[Disabled] = &[
    row("get_overdue_tasks", Renamed, "get_sla_breaches"),
    row("get_old_tasks", Merged, "get_aging_tasks"),
    row("get_blocked_tasks", Renamed, "get_stalled_tasks"),
    row("get_escalated_tasks", Merged, "get_escalations"),
    row("bulk_update_tasks", Bulk, "update_task_status"),
];

pub(super) const KPIS: &[Disabled] = &[
    row("get_kpis", Renamed, "get_kpi_summary"),
    row("get_sla", Narrower, "get_sla_compliance"),
    row("get_manager_performance", Renamed, "get_kpi_by_manager"),
    row("get_kpi_history", Renamed, "get_kpi_trend"),
];

pub(super) const FIELD: &[Disabled] = &[
    row("get_field_task", Renamed, "get_field_task_details"),
    row("get_crews", Renamed, "get_crew_status"),
    row("get_technician_location", Personal, "find_nearest_crews"),
    row("get_route_to_site", OtherSystem, "get_distance_to_site"),
    row("create_task", Renamed, "create_field_task"),
    row("assign_crew", OtherSystem, "get_crew_status"),
];

pub(super) const PANEL: &[Disabled] = &[
    row("get_panel", Narrower, "search_panel"),
    row("get_top_priorities", Renamed, "get_priority_ranking"),
    row("set_priority", OtherSystem, "get_priority_ranking"),
];

pub(super) const SITES: &[Disabled] = &[
    row("get_site", Renamed, "get_site_info"),
    row("list_sites", Renamed, "search_sites"),
    row("get_site_equipment", Renamed, "get_site_inventory"),
    row("request_site_access", OtherSystem, "get_site_access"),
];

pub(super) const NETWORK: &[Disabled] = &[
    row("list_alarms", Renamed, "get_active_alarms"),
    row("acknowledge_alarm", OtherSystem, "get_site_alarms"),
];

pub(super) const EMAIL: &[Disabled] = &[row("send_bulk_email", Bulk, "send_email")];

pub(super) const MONITORS: &[Disabled] = &[row("set_monitor_threshold", Automatic, "get_monitor_thresholds")];

pub(super) const QUICK: &[Disabled] = &[row("search", Merged, "quick_lookup")];
