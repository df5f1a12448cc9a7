//! One task and one site over time, crews, equipment and monitors.

use serde_json::{Value, json};

use super::{ids, kind, strings};
use crate::domain::caller::Caller;
use crate::domain::sets::EventKind;
use crate::tools::fixture::{call, call_in, changed, in_world, person};

const DESK: Caller = Caller::Desk;

fn value(tool: &str, args: Value) -> Value {
    call(&DESK, tool, args).unwrap().value
}

#[test]
fn a_timeline_holds_every_event_in_order_with_author_and_values() {
    let output = call(&DESK, "get_task_timeline", json!({"task_id": "T-10001"})).unwrap();
    assert_eq!(
        ids(&output),
        ["EV-00001", "EV-00002", "EV-00003", "EV-00004", "EV-00005", "EV-00006"]
    );
    let events = &output.value["events"];
    let kinds: Vec<&str> = events
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["created", "assigned", "note", "note", "escalated", "status"]);
    assert_eq!(events[1]["to"], "CU-AN-03");
    assert_eq!((&events[4]["from"], &events[4]["to"]), (&json!("1"), &json!("2")));
    assert_eq!(events[0]["author"]["name"], "Jorge Martínez");
    let page = call(
        &DESK,
        "get_task_timeline",
        json!({"task_id": "T-10001", "limit": 2, "offset": 4}),
    )
    .unwrap();
    assert_eq!(
        (page.count, page.value["events"].as_array().unwrap().len()),
        (Some(6), 2)
    );
}

#[test]
fn a_person_in_an_event_is_kept_from_a_guest() {
    let world = changed(|r| {
        let event = r.events.iter_mut().find(|e| e.id.as_str() == "EV-00002").unwrap();
        event.to_value = Some("E-027".to_owned());
    });
    let args = json!({"task_id": "T-10001"});
    let event = |caller: &Caller| {
        let output = call_in(&in_world(&world, caller), "get_task_timeline", args.clone()).unwrap();
        output.value["events"][1].clone()
    };
    let (seen, guest) = (event(&DESK), event(&Caller::Guest));
    assert_eq!((&seen["to"], &seen["author"]["id"]), (&json!("E-027"), &json!("E-001")));
    assert_eq!((&guest["to"], &guest["author"]), (&Value::Null, &Value::Null));
}

#[test]
fn notes_come_newest_first_with_their_files() {
    let file = uuid::Uuid::from_u128(7);
    let world = changed(|r| {
        let event = r.events.iter_mut().find(|e| e.id.as_str() == "EV-00003").unwrap();
        event.media = vec![file];
        let silent = r.events.iter_mut().find(|e| e.id.as_str() == "EV-00002").unwrap();
        silent.kind = EventKind::Note;
    });
    let output = call_in(
        &in_world(&world, &DESK),
        "get_task_notes",
        json!({"task_id": "T-10001"}),
    )
    .unwrap();
    assert_eq!(
        ids(&output),
        ["EV-00004", "EV-00003"],
        "a note that says nothing is none"
    );
    assert_eq!(output.value["notes"][1]["media"], json!([file]));
}

#[test]
fn a_tasks_sla_names_the_hours_of_its_criticality_and_keeps_its_systems_due_time() {
    let late = value("get_task_sla", json!({"task_id": "T-10001"}));
    assert_eq!((&late["sla_hours"], &late["overdue_h"]), (&json!(8), &json!(52.0)));
    let in_time = value("get_task_sla", json!({"task_id": "T-10015"}));
    assert_eq!(
        (&in_time["remaining_h"], &in_time["overdue_h"]),
        (&json!(37.6), &Value::Null)
    );
}

#[test]
fn a_sites_history_is_its_closed_tasks_and_cleared_alarms_latest_first() {
    let output = call(&DESK, "get_site_history", json!({"site_id": "SITE-002"})).unwrap();
    assert_eq!(
        ids(&output)[..5],
        ["T-10253", "T-10102", "A-50367", "T-10280", "A-50453"]
    );
    let v = &output.value;
    assert_eq!(
        (&v["closed_tasks"], &v["cleared_alarms"], output.count),
        (&json!(9), &json!(5), Some(14))
    );
    let week = call(
        &DESK,
        "get_site_history",
        json!({"site_id": "SITE-002", "period": "7d"}),
    )
    .unwrap();
    assert_eq!(week.count, Some(0));
}

#[test]
fn a_sites_contact_is_named_to_people_and_phoned_by_some() {
    let contact = |caller: &Caller| {
        let v = call(caller, "get_site_contacts", json!({"site_id": "SITE-002"}))
            .unwrap()
            .value;
        (v["name"].is_string(), v["phone"].is_string(), v["phone_hidden"] == true)
    };
    assert_eq!(contact(&DESK), (true, true, false));
    assert_eq!(
        contact(&person("E-027")),
        (true, true, false),
        "the crew of an active task there"
    );
    assert_eq!(
        contact(&person("E-040")),
        (true, false, true),
        "a technician of elsewhere"
    );
    assert_eq!(contact(&Caller::Guest), (false, false, true));
    assert_eq!(
        value("get_site_contacts", json!({"site_id": "SITE-002"}))["owner"],
        "TorreSur"
    );
}

#[test]
fn an_inventory_is_asked_by_what_equipment_is_called() {
    let found = |args| call(&DESK, "get_site_inventory", args).unwrap();
    let all = found(json!({"site_id": "SITE-001"}));
    assert_eq!(ids(&all), ["AS-00001", "AS-00002", "AS-00003", "AS-00004", "AS-00005"]);
    assert_eq!(all.value["assets"][2]["serial"], "SN19821028");
    for (called, id) in [
        ("baterias", "AS-00004"),
        ("RRU", "AS-00001"),
        ("Antena", "AS-00005"),
        ("A835", "AS-00003"),
    ] {
        // The beginning of a word is enough; a plural is none.
        let called = called
            .strip_suffix('s')
            .filter(|_| called == "baterias")
            .unwrap_or(called);
        assert_eq!(
            ids(&found(json!({"site_id": "SITE-001", "equipment": called}))),
            [id],
            "{called}"
        );
    }
    assert_eq!(found(json!({"site_id": "SITE-001", "equipment": "olt"})).count, Some(0));
}

#[test]
fn crews_are_listed_the_available_ones_first_with_what_they_do() {
    let norte = call(&DESK, "get_crew_status", json!({"zone": "norte"})).unwrap();
    assert_eq!(
        ids(&norte),
        ["CU-AN-01", "CU-AN-02", "CU-AN-05", "CU-AN-03", "CU-AN-04"]
    );
    assert_eq!(
        norte.value["by_status"],
        json!({"available": 3, "en_route": 1, "on_site": 0, "off_shift": 1})
    );
    assert_eq!(norte.value["crews"][3]["doing"]["id"], "T-10015");
    assert_eq!(norte.value["crews"][3]["doing"]["site_id"], "SITE-002");
    let one = call(&DESK, "get_crew_status", json!({"crew_id": "cu an 3"})).unwrap();
    assert_eq!((one.count, &one.value["zone"]), (Some(1), &json!("norte")));
    let elsewhere = call(&DESK, "get_crew_status", json!({"crew_id": "CU-AN-03", "zone": "sur"})).unwrap();
    assert_eq!(elsewhere.count, Some(0));
}

#[test]
fn the_nearest_crews_are_the_available_ones_unless_all_are_asked_for() {
    let near = |args| call(&DESK, "find_nearest_crews", args).unwrap();
    let available = near(json!({"location": {"site_id": "SITE-002"}}));
    assert_eq!(
        ids(&available)[..5],
        ["CU-AN-01", "CU-AN-02", "CU-AN-05", "CU-VA-04", "CU-RM-02"]
    );
    assert_eq!(available.count, Some(9));
    assert_eq!(
        (
            &available.value["crews"][0]["distance_km"],
            &available.value["crews"][0]["position_age_h"]
        ),
        (&json!(196.2), &json!(0.4))
    );
    let all = near(json!({"location": {"site_id": "SITE-002"}, "available_only": false, "limit": 3}));
    assert_eq!(ids(&all)[..3], ["CU-AN-01", "CU-AN-02", "CU-AN-04"]);
    let world = changed(|r| r.crews[0].point = None);
    let lost = call_in(
        &in_world(&world, &DESK),
        "find_nearest_crews",
        json!({"location": {"site_id": "SITE-002"}}),
    )
    .unwrap();
    assert_eq!((lost.count, &lost.value["without_position"]), (Some(8), &json!(1)));
}

#[test]
fn monitors_come_worst_first_and_are_asked_by_measure_and_status() {
    let found = |args| call(&DESK, "get_monitor_status", args).unwrap();
    assert_eq!(ids(&found(json!({"site_id": "SITE-111"}))), ["M-002", "M-001"]);
    let volts = found(json!({"metric": "battery"}));
    assert_eq!(volts.params["metric"], "battery_voltage_v");
    assert_eq!(ids(&volts)[..6], ["M-002", "M-085", "M-094", "M-013", "M-043", "M-109"]);
    assert_eq!(found(json!({"status": "unknown"})).count, Some(4));
    assert_eq!(
        kind(call(&DESK, "get_monitor_status", json!({"metric": "humidity"}))),
        "no metric humidity"
    );
    let silent = found(json!({"status": "unknown"}));
    assert_eq!(silent.value["monitors"][0]["value"], Value::Null);
}

#[test]
fn monitor_alerts_are_those_in_warning_or_critical() {
    let all = call(&DESK, "get_monitor_alerts", json!({})).unwrap();
    assert_eq!(
        (
            &all.value["by_status"]["critical"],
            &all.value["by_status"]["warning"],
            all.count
        ),
        (&json!(6), &json!(10), Some(16))
    );
    let norte = call(&DESK, "get_monitor_alerts", json!({"zone": "norte"})).unwrap();
    assert_eq!(ids(&norte)[..3], ["M-002", "M-044", "M-117"]);
    assert_eq!(norte.count, Some(6));
}

#[test]
fn thresholds_say_which_side_is_bad() {
    let all = value("get_monitor_thresholds", json!({}));
    let rows = all["thresholds"].as_array().unwrap();
    let told: Vec<String> = rows
        .iter()
        .map(|t| {
            format!(
                "{} {} {} {} {}",
                t["metric"], t["warning"], t["critical"], t["low_is_bad"], t["monitors"]
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "\"availability_pct\" 99.5 98.0 true 24",
            "\"backhaul_latency_ms\" 60.0 120.0 false 19",
            "\"battery_voltage_v\" 48.0 46.0 true 30",
            "\"cabinet_temp_c\" 38.0 45.0 false 18",
            "\"packet_loss_pct\" 1.0 5.0 false 29",
        ]
    );
}

#[test]
fn active_alarms_stand_with_their_tasks_or_without() {
    let norte = value("correlate_alarms_tasks", json!({"zone": "norte"}));
    let counts = |v: &Value| ["total", "with_task", "without_task", "task_over"].map(|k| v[k].as_u64().unwrap());
    assert_eq!(counts(&norte), [23, 11, 12, 0]);
    assert_eq!(counts(&value("correlate_alarms_tasks", json!({}))), [123, 67, 56, 0]);
    let site = value("correlate_alarms_tasks", json!({"site_id": "SITE-025"}));
    assert_eq!(strings(&site["ids"])[0], "A-50002");
    assert_eq!(site["rows"][0]["task"]["id"], "T-10002");
    // The task may name the alarm instead, and may be over while the alarm stands.
    let world = changed(|r| {
        r.alarms
            .iter_mut()
            .find(|a| a.id.as_str() == "A-50002")
            .unwrap()
            .task_id = None;
        let task = r.tasks.iter_mut().find(|t| t.id.as_str() == "T-10002").unwrap();
        task.status = crate::domain::sets::TaskStatus::Cancelled;
    });
    let other = call_in(
        &in_world(&world, &DESK),
        "correlate_alarms_tasks",
        json!({"site_id": "SITE-025"}),
    )
    .unwrap()
    .value;
    assert_eq!(
        (&other["rows"][0]["task"]["id"], &other["task_over"]),
        (&json!("T-10002"), &json!(1))
    );
}
