//! Lists that need somebody, the KPIs beyond the four, and the sheet row by row.

use serde_json::{Value, json};

use super::{figures_of as figures, ids, kind};
use crate::domain::caller::Caller;
use crate::domain::sets::TaskStatus;
use crate::tools::fixture::{call, call_in, changed, in_world};

const DESK: Caller = Caller::Desk;

fn value(tool: &str, args: Value) -> Value {
    call(&DESK, tool, args).unwrap().value
}

#[test]
fn ageing_tasks_have_not_moved_for_more_than_48_hours_or_as_long_as_asked() {
    let count = |args| call(&DESK, "get_aging_tasks", args).unwrap();
    let all = count(json!({}));
    assert_eq!((all.count, &all.params["hours"]), (Some(23), &json!(48)));
    assert_eq!(count(json!({"hours": 72})).count, Some(13));
    assert_eq!(count(json!({"zone": "norte"})).count, Some(5));
    assert_eq!(count(json!({"zone": "sur", "hours": 72})).count, Some(3));
    assert_eq!(
        kind(call(&DESK, "get_aging_tasks", json!({"hours": 0}))),
        "arguments hours"
    );
}

#[test]
fn a_task_that_moved_exactly_48_hours_ago_does_not_age_yet() {
    let now = crate::tools::fixture::now();
    let count = |minutes: i64| {
        let world = changed(|r| {
            r.tasks.retain(|t| t.id.as_str() == "T-10001");
            r.tasks[0].updated_at = now - jiff::SignedDuration::from_mins(minutes);
        });
        call_in(&in_world(&world, &DESK), "get_aging_tasks", json!({}))
            .unwrap()
            .count
    };
    assert_eq!((count(48 * 60), count(48 * 60 + 1)), (Some(0), Some(1)));
}

#[test]
fn fourteen_active_tasks_have_no_manager() {
    let count = |args| call(&DESK, "get_unassigned_tasks", args).unwrap().count;
    assert_eq!(count(json!({})), Some(14));
    assert_eq!(count(json!({"zone": "norte"})), Some(4));
    assert_eq!(count(json!({"zone": "sur"})), Some(0));
}

#[test]
fn breaches_are_the_most_exceeded_first_the_late_closings_of_the_period_among_them() {
    let found = |args| call(&DESK, "get_sla_breaches", args).unwrap();
    let all = found(json!({}));
    assert_eq!(ids(&all)[..3], ["T-10615", "T-10665", "T-10324"]);
    assert_eq!(all.value["tasks"][0]["overdue_h"], 436.5);
    assert_eq!(
        (all.count, &all.value["active"], &all.value["closed_late"]),
        (Some(84), &json!(77), &json!(7))
    );
    let centro = found(json!({"zone": "centro"}));
    assert_eq!((centro.count, &centro.value["closed_late"]), (Some(21), &json!(2)));
    let norte = found(json!({"zone": "norte"}));
    assert_eq!(norte.count, Some(8), "as the summary says");
    assert_eq!(ids(&norte)[..3], ["T-10005", "T-10004", "T-10003"]);
}

#[test]
fn the_statistics_of_a_week() {
    let norte = value("get_task_stats", json!({"zone": "norte"}));
    assert_eq!(
        figures(
            &norte,
            ["created", "closed", "active", "stalled", "breach", "mean_age_h"]
        ),
        [76.0, 31.0, 45.0, 16.0, 8.0, 33.6]
    );
    assert_eq!(
        norte["by_criticality"],
        json!({"critical": 12, "high": 7, "medium": 17, "low": 9})
    );
    assert_eq!(
        norte["by_work_type"],
        json!({"corrective": 28, "preventive": 4, "POP": 3, "TOT": 6, "installation": 3, "audit": 1})
    );
    let all = value("get_task_stats", json!({}));
    assert_eq!(
        figures(&all, ["created", "closed", "breach", "mean_age_h"]),
        [410.0, 181.0, 77.0, 42.4],
        "the breach of the statistics is of active tasks only"
    );
}

#[test]
fn the_indicators_now_look_back_24_hours() {
    let norte = value("get_kpi_realtime", json!({"zone": "norte"}));
    assert_eq!(
        figures(&norte, ["mttr", "open", "closed", "sla_breach", "critical_alarms"]),
        [5.9, 45.0, 2.0, 8.0, 12.0]
    );
    let all = value("get_kpi_realtime", json!({}));
    assert_eq!(
        figures(&all, ["mttr", "open", "closed", "sla_breach", "critical_alarms"]),
        [7.2, 240.0, 25.0, 79.0, 58.0]
    );
}

#[test]
fn mttr_comes_with_its_median_and_the_tasks_behind_it() {
    let mttr = |args| figures(&value("get_mttr", args), ["mttr", "median", "tasks"]);
    assert_eq!(mttr(json!({})), [6.9, 4.8, 181.0]);
    assert_eq!(mttr(json!({"zone": "norte"})), [4.2, 4.2, 31.0]);
    assert_eq!(
        mttr(json!({"work_type": "corrective", "criticality": "critical", "period": "30d"})),
        [6.5, 4.8, 48.0]
    );
    let none = value("get_mttr", json!({"zone": "norte", "period": "1h"}));
    assert_eq!(
        (&none["mttr"], &none["median"], &none["tasks"]),
        (&Value::Null, &Value::Null, &json!(0))
    );
}

#[test]
fn compliance_is_the_share_closed_on_time() {
    let sla = |args| {
        figures(
            &value("get_sla_compliance", args),
            ["percent", "on_time", "late", "closed"],
        )
    };
    assert_eq!(sla(json!({"zone": "sur"})), [94.6, 35.0, 2.0, 37.0]);
    assert_eq!(sla(json!({"zone": "norte"})), [100.0, 31.0, 0.0, 31.0]);
    assert_eq!(
        sla(json!({"criticality": "critical", "period": "30d"})),
        [68.6, 59.0, 27.0, 86.0]
    );
    let none = value("get_sla_compliance", json!({"zone": "norte", "period": "1h"}));
    assert_eq!(none["percent"], Value::Null);
}

#[test]
fn a_trend_has_a_value_for_every_local_day_and_marks_the_cut_ones() {
    let trend = value("get_kpi_trend", json!({"metric": "mttr", "bucket": "day"}));
    let points: Vec<(String, f64, u64, bool)> = trend["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| {
            (
                p["day"].as_str().unwrap().to_owned(),
                p["value"].as_f64().unwrap(),
                p["tasks"].as_u64().unwrap(),
                p["partial"] == true,
            )
        })
        .collect();
    let day = |day: &str, value: f64, tasks: u64, partial: bool| (format!("2026-11-{day}"), value, tasks, partial);
    assert_eq!(
        points,
        [
            day("23", 6.4, 15, true),
            day("24", 6.2, 24, false),
            day("25", 8.4, 32, false),
            day("26", 7.0, 25, false),
            day("27", 5.4, 27, false),
            day("28", 6.2, 24, false),
            day("29", 7.1, 23, false),
            // 8.65 exactly: a half goes up.
            day("30", 8.7, 11, true),
        ]
    );
}

#[test]
fn weeks_begin_on_monday_and_whole_ones_are_not_partial() {
    let weeks = value(
        "get_kpi_trend",
        json!({"metric": "created", "bucket": "week", "period": "30d"}),
    );
    let rows = weeks["points"].as_array().unwrap();
    let told: Vec<(&str, f64)> = rows
        .iter()
        .map(|p| (p["day"].as_str().unwrap(), p["value"].as_f64().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("2026-10-26", 15.0),
            ("2026-11-02", 97.0),
            ("2026-11-09", 106.0),
            ("2026-11-16", 91.0),
            ("2026-11-23", 355.0),
            ("2026-11-30", 58.0)
        ]
    );
    let whole = value(
        "get_kpi_trend",
        json!({"metric": "closed", "bucket": "day", "zone": "norte", "period": {"from": "2026-11-23", "to": "2026-11-29"}}),
    );
    let closed: Vec<f64> = whole["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["value"].as_f64().unwrap())
        .collect();
    assert_eq!(closed, [3.0, 3.0, 7.0, 4.0, 6.0, 5.0, 3.0]);
    assert!(
        whole["points"]
            .as_array()
            .unwrap()
            .iter()
            .all(|p| p["partial"] == false)
    );
}

#[test]
fn an_empty_bucket_is_null_as_a_mean_and_0_as_a_count() {
    let long_ago = json!({"from": "2020-01-06", "to": "2020-01-07"});
    let value_of = |metric: &str| {
        let args = json!({"metric": metric, "bucket": "day", "period": long_ago});
        value("get_kpi_trend", args)["points"][0]["value"].clone()
    };
    assert_eq!(
        ["mttr", "sla_compliance", "closed", "created"].map(value_of),
        [Value::Null, Value::Null, json!(0.0), json!(0.0)]
    );
    let too_many = call(
        &DESK,
        "get_kpi_trend",
        json!({"metric": "mttr", "bucket": "day", "period": "365d"}),
    );
    assert_eq!(kind(too_many), "arguments period");
}

#[test]
fn the_day_daylight_saving_begins_is_one_bucket() {
    let args = json!({"metric": "created", "bucket": "day", "period": {"from": "2026-09-05", "to": "2026-09-07"}});
    let days = value("get_kpi_trend", args);
    assert_eq!(days["points"].as_array().unwrap().len(), 3);
}

#[test]
fn the_backlog_is_cut_by_status_criticality_and_age() {
    let all = value("get_backlog", json!({}));
    assert_eq!(all["total"], 240);
    assert_eq!(
        all["by_status"],
        json!({"open": 75, "in_progress": 65, "stalled": 59, "on_hold": 41})
    );
    assert_eq!(
        all["by_age"],
        json!({"under_24h": 115, "from_24h_to_72h": 91, "from_3d_to_7d": 27, "over_7d": 7})
    );
    let norte = value("get_backlog", json!({"zone": "norte"}));
    assert_eq!(
        norte["by_age"],
        json!({"under_24h": 16, "from_24h_to_72h": 29, "from_3d_to_7d": 0, "over_7d": 0})
    );
}

#[test]
fn managers_come_by_their_breaches_and_a_guest_reads_none() {
    let norte = call(&DESK, "get_kpi_by_manager", json!({"zone": "norte"})).unwrap();
    assert_eq!(ids(&norte), ["E-001", "E-003", "E-002"]);
    assert_eq!(
        figures(&norte.value["managers"][0], ["breach", "active", "closed", "mttr"]),
        [4.0, 18.0, 11.0, 3.2]
    );
    assert_eq!(norte.value["unassigned"], 4);
    let all = call(&DESK, "get_kpi_by_manager", json!({"limit": 2})).unwrap();
    assert_eq!((all.count, ids(&all)[0]), (Some(12), "E-008"));
    assert_eq!(all.value["managers"].as_array().unwrap().len(), 2);
    assert_eq!(
        kind(call(&Caller::Guest, "get_kpi_by_manager", json!({}))),
        "people_data"
    );
}

#[test]
fn a_fault_recurs_from_three_corrective_tasks_of_one_site_and_title() {
    let found = |args| call(&DESK, "get_recurrence_patterns", args).unwrap();
    let all = found(json!({}));
    assert_eq!(
        (all.count, &all.params["period"], &all.params["min"]),
        (Some(16), &json!("90d"), &json!(3))
    );
    let first = &all.value["patterns"][0];
    assert_eq!(
        (&first["site_id"], &first["title"], &first["count"]),
        (&json!("SITE-014"), &json!("Batería en descarga"), &json!(10))
    );
    assert_eq!(first["tasks"].as_array().unwrap().len(), 10);
    assert_eq!(found(json!({"zone": "norte"})).count, Some(5));
    assert_eq!(found(json!({"min": 2})).count, Some(109));
}

#[test]
fn the_ranking_is_priority_then_customers_then_due_time() {
    let ranking = call(&DESK, "get_priority_ranking", json!({})).unwrap();
    assert_eq!(
        ids(&ranking)[..10],
        [
            "T-10322", "T-10651", "T-10001", "T-11092", "T-11055", "T-10006", "T-10615", "T-10631", "T-10668",
            "T-10002"
        ]
    );
    assert_eq!(
        (ranking.count, ranking.value["rows"].as_array().unwrap().len()),
        (Some(106), 10)
    );
}

#[test]
fn the_sheet_is_searched_by_zone_escalation_priority_and_customers() {
    let count = |args| call(&DESK, "search_panel", args).unwrap().count;
    assert_eq!(count(json!({})), Some(106));
    assert_eq!(count(json!({"zone": "norte"})), Some(19));
    assert_eq!(count(json!({"zone": "norte", "priority": 1})), Some(3));
    assert_eq!(count(json!({"escalated": true})), Some(28));
    assert_eq!(count(json!({"escalated": false})), Some(78));
    assert_eq!(count(json!({"min_affected_customers": 1000})), Some(36));
    assert_eq!(
        kind(call(&DESK, "search_panel", json!({"priority": 0}))),
        "arguments priority"
    );
}

#[test]
fn escalations_say_their_level_and_to_whom() {
    let all = call(&DESK, "get_escalations", json!({})).unwrap();
    assert_eq!(all.count, Some(28));
    assert_eq!(
        call(&DESK, "get_escalations", json!({"level": 2})).unwrap().count,
        Some(7)
    );
    let norte = call(&DESK, "get_escalations", json!({"zone": "norte"})).unwrap();
    assert_eq!(ids(&norte), ["T-10001", "T-10006", "T-10002"]);
    let first = &norte.value["rows"][0];
    assert_eq!(
        (&first["escalation_level"], &first["escalated_to"]["id"]),
        (&json!(2), &json!("E-013"))
    );
    assert_eq!(
        kind(call(&DESK, "get_escalations", json!({"level": 4}))),
        "arguments level"
    );
}

#[test]
fn the_impact_is_the_sum_of_the_customers_of_the_sheets_tasks() {
    let impact = |args| {
        let output = call(&DESK, "get_customer_impact", args).unwrap();
        (output.value["customers"].as_u64().unwrap(), output.count.unwrap())
    };
    assert_eq!(impact(json!({})), (140_790, 88));
    assert_eq!(impact(json!({"zone": "norte"})), (20_690, 14));
    assert_eq!(
        impact(json!({"zone": "austral", "limit": 1})),
        (12_620, 7),
        "the limit cuts no sum"
    );
    let world = changed(|r| {
        r.tasks.iter_mut().find(|t| t.id.as_str() == "T-10001").unwrap().status = TaskStatus::Closed;
    });
    let without = call_in(
        &in_world(&world, &DESK),
        "get_customer_impact",
        json!({"zone": "norte"}),
    )
    .unwrap();
    assert_eq!(without.value["customers"], 20_690 - 2_300);
}
