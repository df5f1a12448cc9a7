//! Counts, KPIs, the panel, the briefing, the network.

use serde_json::{Value, json};

use crate::domain::caller::Caller;
use crate::domain::sets::TaskStatus;
use crate::tools::fixture::{call, call_in, changed, in_world};

const DESK: Caller = Caller::Desk;

fn value(tool: &str, args: Value) -> Value {
    call(&DESK, tool, args).unwrap().value
}

#[test]
fn zona_norte_in_a_week_is_mttr_4_2_with_45_open_31_closed_8_in_breach() {
    let kpi = value("get_kpi_summary", json!({"zone": "norte", "period": "7d"}));
    assert_eq!(
        [&kpi["mttr"], &kpi["open"], &kpi["closed"], &kpi["sla_breach"]],
        [&json!(4.2), &json!(45), &json!(31), &json!(8)]
    );
    assert_eq!(
        (&kpi["from"], &kpi["to"]),
        (&json!("2026-11-23T13:41:00Z"), &json!("2026-11-30T13:41:00Z"))
    );
    assert_eq!(
        value("get_kpi_summary", json!({"zone": "norte"})),
        kpi,
        "a week is the default"
    );
}

#[test]
fn the_panel_of_zona_norte_is_3_escalated_5_ageing_2_without_a_manager() {
    let panel = value("get_panel_summary", json!({"zone": "norte"}));
    let figures =
        |p: &Value| [&p["escalated"], &p["aging_gt_48h"], &p["unassigned"], &p["total"]].map(|v| v.as_u64().unwrap());
    assert_eq!(figures(&panel), [3, 5, 2, 19]);
    let critical = value("get_panel_summary", json!({"zone": "norte", "criticality": "critical"}));
    assert_eq!(figures(&critical), [3, 5, 2, 12], "all of them are critical ones");
}

#[test]
fn a_closed_or_cancelled_task_leaves_the_panel() {
    for status in [TaskStatus::Closed, TaskStatus::Cancelled] {
        let world = changed(|r| r.tasks.iter_mut().find(|t| t.id.as_str() == "T-10001").unwrap().status = status);
        let panel = call_in(&in_world(&world, &DESK), "get_panel_summary", json!({"zone": "norte"}))
            .unwrap()
            .value;
        assert_eq!((&panel["escalated"], &panel["total"]), (&json!(2), &json!(18)));
    }
}

#[test]
fn a_cancelled_task_is_never_closed_and_never_in_breach() {
    let before = value("get_kpi_summary", json!({"zone": "norte"}));
    let world = changed(|r| {
        let late = r.tasks.iter_mut().find(|t| t.id.as_str() == "T-10001").unwrap();
        late.status = TaskStatus::Cancelled;
        late.closed_at = Some(crate::tools::fixture::now());
    });
    let after = call_in(&in_world(&world, &DESK), "get_kpi_summary", json!({"zone": "norte"}))
        .unwrap()
        .value;
    assert_eq!(after["closed"], before["closed"]);
    assert_eq!((&after["open"], &after["sla_breach"]), (&json!(44), &json!(7)));
}

#[test]
fn a_task_closed_late_is_a_breach_of_its_period_only() {
    let world = changed(|r| {
        let task = r.tasks.iter_mut().find(|t| t.id.as_str() == "T-10068").unwrap();
        task.due_at = Some(task.created_at);
    });
    let breach = |period: &str| {
        let args = json!({"zone": "norte", "period": period});
        call_in(&in_world(&world, &DESK), "get_kpi_summary", args)
            .unwrap()
            .value["sla_breach"]
            .clone()
    };
    assert_eq!((breach("7d"), breach("1h")), (json!(9), json!(8)));
}

#[test]
fn without_a_closed_task_there_is_no_mttr() {
    let kpi = value("get_kpi_summary", json!({"zone": "norte", "period": "1h"}));
    assert_eq!((&kpi["mttr"], &kpi["closed"]), (&Value::Null, &json!(0)));
}

#[test]
fn grouped_by_status_all_count_otherwise_the_active_ones() {
    let total = |args| call(&DESK, "count_tasks", args).unwrap().count;
    assert_eq!(total(json!({"group_by": "status"})), Some(1529));
    assert_eq!(total(json!({"group_by": "zone"})), Some(240));
    assert_eq!(total(json!({"group_by": "zone", "status": "any"})), Some(1529));
    assert_eq!(
        total(json!({"group_by": "work_type", "zone": "norte", "status": "closed", "period": "7d"})),
        Some(31)
    );
}

#[test]
fn ranked_groups_keep_their_rank_and_zeros_the_others_go_by_size() {
    let groups = |args| -> Vec<(String, u64)> {
        let counted = value("count_tasks", args);
        let rows = counted["groups"].as_array().unwrap().iter();
        rows.map(|g| (g["key"].as_str().unwrap().to_owned(), g["count"].as_u64().unwrap()))
            .collect()
    };
    let pairs = |all: &[(&str, u64)]| all.iter().map(|(k, n)| ((*k).to_owned(), *n)).collect::<Vec<_>>();
    assert_eq!(
        groups(json!({"group_by": "status", "zone": "norte"})),
        pairs(&[
            ("open", 13),
            ("in_progress", 9),
            ("stalled", 16),
            ("on_hold", 7),
            ("closed", 230),
            ("cancelled", 11)
        ])
    );
    let sizes: Vec<u64> = groups(json!({"group_by": "manager"})).iter().map(|(_, n)| *n).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    assert_eq!(sizes.iter().sum::<u64>(), 240);
    let stalled = groups(json!({"group_by": "criticality", "zone": "norte", "status": "on_hold"}));
    assert_eq!(stalled.first(), Some(&("critical".to_owned(), 0)));
}

#[test]
fn the_briefing_of_zona_norte() {
    let b = value("get_daily_briefing", json!({"zone": "norte"}));
    let figures: Vec<u64> = [
        "active",
        "critical",
        "stalled",
        "critical_stalled",
        "overdue",
        "due_soon",
        "escalated",
        "unassigned",
        "created_24h",
        "closed_24h",
        "sites_down",
        "sites_degraded",
        "critical_alarms",
        "critical_alarms_without_task",
    ]
    .iter()
    .map(|key| b[*key].as_u64().unwrap())
    .collect();
    assert_eq!(figures, [45, 12, 16, 12, 8, 7, 3, 4, 17, 2, 2, 4, 12, 4]);
    assert_eq!(b["down"][0]["id"], "SITE-005");
    assert_eq!(b["tasks"].as_array().unwrap().len(), 10);
    assert!(b["alarms"].as_array().unwrap().iter().all(|a| a["task_id"].is_null()));
}

#[test]
fn the_network_is_sites_by_status_and_active_alarms_by_severity() {
    let all = value("get_network_health", json!({}));
    assert_eq!(
        all["by_status"],
        json!({"active": 145, "degraded": 20, "down": 10, "maintenance": 5})
    );
    assert_eq!(
        all["by_severity"],
        json!({"critical": 58, "major": 28, "minor": 28, "warning": 9})
    );
    assert_eq!((&all["sites"], &all["active_alarms"]), (&json!(180), &json!(123)));
    assert_eq!(all["down"].as_array().unwrap().len(), 10);
}

#[test]
fn alarms_are_the_active_ones_most_severe_then_oldest() {
    let site = |args| call(&DESK, "get_site_alarms", args).unwrap();
    assert_eq!(
        super::ids(&site(json!({"site_id": "SITE-025"}))),
        ["A-50002", "A-50004"]
    );
    assert_eq!(site(json!({"site_id": "SITE-002"})).count, Some(1));
    assert_eq!(
        site(json!({"site_id": "SITE-002", "include_cleared": true})).count,
        Some(6)
    );
    assert_eq!(
        site(json!({"site_id": "SITE-002", "include_cleared": true, "severity": "critical"})).count,
        Some(2)
    );
    let active = call(
        &DESK,
        "get_active_alarms",
        json!({"zone": "norte", "severity": "critical"}),
    )
    .unwrap();
    assert_eq!(active.count, Some(12));
    let sum: u64 = ["power", "transport", "radio", "security", "environment"]
        .iter()
        .filter_map(|c| call(&DESK, "get_active_alarms", json!({"category": c})).unwrap().count)
        .sum();
    assert_eq!(sum, 123);
}
