//! Which tasks, in which order, with which standing.

use serde_json::json;

use super::{ids, kind};
use crate::domain::caller::Caller;
use crate::tools::fixture::{call, call_in, changed, in_world, person};

const DESK: Caller = Caller::Desk;

#[test]
fn zona_norte_has_twelve_critical_stalled_tasks() {
    let args = json!({"status": "stalled", "criticality": "critical", "zone": "norte"});
    let output = call(&DESK, "search_tasks", args).unwrap();
    assert_eq!(output.count, Some(12));
    let stalled = call(
        &DESK,
        "get_stalled_tasks",
        json!({"zone": "norte", "criticality": "critical"}),
    )
    .unwrap();
    assert_eq!(ids(&stalled), ids(&output));
    assert_eq!(stalled.value["tasks"][4]["id"], "T-10001");
    assert_eq!(stalled.value["tasks"][4]["idle_h"], 50.0);
}

#[test]
fn a_list_without_a_status_holds_the_active_ones_and_any_holds_all() {
    let count = |args| call(&DESK, "search_tasks", args).unwrap().count;
    assert_eq!(count(json!({"zone": "norte"})), Some(45));
    assert_eq!(count(json!({"zone": "norte", "status": "any"})), Some(286));
    assert_eq!(count(json!({"zone": "norte", "status": "closed"})), Some(230));
}

#[test]
fn dates_apply_to_the_creation_or_to_the_closing_of_closed_ones() {
    let count = |args| call(&DESK, "search_tasks", args).unwrap().count;
    let week =
        |status: &str| json!({"zone": "norte", "status": status, "date_from": "2026-11-23", "date_to": "2026-11-29"});
    assert_eq!(count(week("closed")), Some(31));
    assert_eq!(count(week("active")), Some(34));
    assert_eq!(count(week("any")), Some(65));
}

#[test]
fn a_day_is_local_to_the_zone_asked_about() {
    // In winter, 03:30 UTC is already the 1st in Punta Arenas and still the 31st in Santiago.
    let world = changed(|r| {
        for (task, zone) in r.tasks.iter_mut().zip(["norte", "austral"]) {
            task.zone = crate::domain::ids::Zone::parse(zone).unwrap();
            task.created_at = "2026-08-01T03:30:00Z".parse().unwrap();
        }
    });
    let count = |zone: &str| {
        let args = json!({"zone": zone, "status": "any", "date_from": "2026-08-01", "date_to": "2026-08-01"});
        call_in(&in_world(&world, &DESK), "search_tasks", args).unwrap().count
    };
    assert_eq!((count("austral"), count("norte")), (Some(1), Some(0)));
}

#[test]
fn conditions_narrow_together() {
    let found = |args| call(&DESK, "search_tasks", args).unwrap();
    let site = found(json!({"site_id": "SITE-002"}));
    assert_eq!(ids(&site), ["T-10017", "T-10015", "T-10016"]);
    assert_eq!(
        ids(&found(json!({"site_id": "SITE-002", "work_type": "preventive"}))),
        ["T-10016"]
    );
    assert_eq!(
        ids(&found(
            json!({"site_id": "SITE-002", "crew_id": "cu an 3", "text": "bateria"})
        )),
        ["T-10015"]
    );
    assert_eq!(
        ids(&found(json!({"place": "Arica"}))),
        ids(&found(json!({"place": "arica", "zone": "norte"})))
    );
    assert_eq!(found(json!({"site_id": "SITE-002", "zone": "sur"})).count, Some(0));
    assert_eq!(found(json!({"zone": "RM"})).params["zone"], "metropolitana");
    let rm = found(json!({"place": "RM"}));
    assert_eq!(rm.count, found(json!({"zone": "metropolitana"})).count);
}

#[test]
fn text_matches_words_by_their_beginnings_without_accents() {
    let count = |text: &str| {
        call(&DESK, "search_tasks", json!({"text": text, "status": "any"}))
            .unwrap()
            .count
    };
    assert_eq!(count("ELECTROGENO"), Some(78));
    assert_eq!(count("electro parte"), Some(78));
    assert_eq!(count("lectrógeno"), Some(0));
}

#[test]
fn the_page_moves_and_all_ids_are_kept() {
    let page = |offset: u32| {
        call(
            &DESK,
            "search_tasks",
            json!({"zone": "norte", "limit": 10, "offset": offset}),
        )
        .unwrap()
    };
    let (first, second) = (page(0), page(10));
    assert_eq!(ids(&first).len(), 45);
    assert_eq!(ids(&first), ids(&second));
    assert_eq!(second.value["tasks"][0]["id"], ids(&first)[10]);
    assert_eq!(second.params["offset"], 10);
    assert_eq!(page(45).value["tasks"], json!([]));
}

#[test]
fn a_site_that_does_not_exist_is_never_guessed() {
    assert_eq!(
        kind(call(&DESK, "search_tasks", json!({"site_id": "SITE-999"}))),
        "no site SITE-999"
    );
    assert_eq!(
        kind(call(&DESK, "get_task_status", json!({"task_id": "T-99999"}))),
        "no task T-99999"
    );
    assert_eq!(
        kind(call(&DESK, "get_tasks_by_zone", json!({"zone": "oriente"}))),
        "no zone oriente"
    );
    assert_eq!(
        kind(call(&DESK, "search_tasks", json!({"place": "Atlántida"}))),
        "no place Atlántida"
    );
    assert_eq!(
        kind(call(&DESK, "search_tasks", json!({"crew_id": "CU-ZZ-09"}))),
        "no crew CU-ZZ-09"
    );
}

#[test]
fn a_manager_parameter_matches_managers_only() {
    let by = |name: &str| call(&DESK, "get_tasks_by_manager", json!({"manager": name}));
    assert_eq!(kind(by("Martínez")), "2 candidates");
    assert_eq!(by("jorge MARTINEZ").unwrap().count, Some(18));
    assert_eq!(by("E-010").unwrap().value["manager"]["name"], "Óscar Martínez");
    assert_eq!(kind(by("Paula Martínez")), "no manager Paula Martínez", "a technician");
    assert_eq!(kind(by("E-022")), "no manager E-022", "a technician");
}

#[test]
fn a_managers_closed_tasks_are_those_of_the_last_week_unless_a_period_is_given() {
    let count = |args| call(&DESK, "get_tasks_by_manager", args).unwrap();
    let week = count(json!({"manager": "E-001", "status": "closed"}));
    assert_eq!((week.count, &week.params["period"]), (Some(11), &json!("7d")));
    let active = count(json!({"manager": "E-001"}));
    assert_eq!((active.count, active.params.get("period")), (Some(18), None));
    let month = count(json!({"manager": "E-001", "status": "closed", "period": "30d"}));
    assert!(month.count > week.count);
}

#[test]
fn a_zone_counts_every_status_beside_its_active_list() {
    let norte = call(&DESK, "get_tasks_by_zone", json!({"zone": "norte"})).unwrap();
    assert_eq!(norte.count, Some(45));
    assert_eq!(
        norte.value["by_status"],
        json!({"open": 13, "in_progress": 9, "stalled": 16, "on_hold": 7, "closed": 230, "cancelled": 11})
    );
}

#[test]
fn a_technician_has_his_own_first_and_then_the_rest_of_the_crews_by_due_time() {
    let mine = call(&person("E-027"), "get_my_tasks", json!({})).unwrap();
    assert_eq!(
        ids(&mine),
        [
            "T-10001", "T-10012", "T-10025", "T-10015", "T-10021", "T-10034", "T-10022", // own
            "T-10007", "T-10017", "T-10032", "T-10030", // the crew's
        ]
    );
    let shares: Vec<&str> = mine.value["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["share"].as_str().unwrap())
        .collect();
    assert_eq!(shares, [["own"; 7].as_slice(), ["crew"; 4].as_slice()].concat());
    assert_eq!(mine.value["of_crew"], 4);
}

#[test]
fn a_manager_has_what_he_manages_a_supervisor_the_escalated_of_the_zone_the_noc_all_escalated() {
    let count = |caller: &Caller| call(caller, "get_my_tasks", json!({})).unwrap().count;
    assert_eq!(count(&person("E-001")), Some(18));
    assert_eq!(count(&person("E-013")), Some(3));
    assert_eq!(count(&DESK), Some(28));
    let noc = person("E-018");
    assert_eq!(noc.role(), Some(crate::domain::sets::Role::Noc));
    assert_eq!(count(&noc), Some(28));
}

#[test]
fn an_unknown_number_has_no_tasks_of_its_own_and_is_told_so() {
    assert_eq!(kind(call(&Caller::Guest, "get_my_tasks", json!({}))), "not_registered");
}

#[test]
fn a_task_is_held_by_the_technician_else_the_crew_else_the_manager_else_nobody() {
    let held = |technician: bool, crew: bool, manager: bool| {
        let world = changed(|r| {
            let task = r.tasks.iter_mut().find(|t| t.id.as_str() == "T-10001").unwrap();
            task.technician_id = task.technician_id.take().filter(|_| technician);
            task.crew_id = task.crew_id.take().filter(|_| crew);
            task.manager_id = task.manager_id.take().filter(|_| manager);
        });
        let output = call_in(
            &in_world(&world, &DESK),
            "get_task_status",
            json!({"task_id": "T-10001"}),
        )
        .unwrap();
        let held = &output.value["held_by"];
        format!(
            "{} {}",
            held["kind"].as_str().unwrap(),
            held["who"]["id"].as_str().unwrap_or("-")
        )
    };
    assert_eq!(held(true, true, true), "technician E-027");
    assert_eq!(held(false, true, true), "crew CU-AN-03");
    assert_eq!(held(false, false, true), "manager E-001");
    assert_eq!(held(false, false, false), "nobody -");
}

#[test]
fn a_tasks_clocks_are_its_age_and_the_time_past_or_to_its_due_time() {
    let standing = |id: &str| call(&DESK, "get_task_status", json!({"task_id": id})).unwrap().value;
    let late = standing("T-10001");
    assert_eq!(
        (&late["age_h"], &late["overdue_h"], &late["remaining_h"]),
        (&json!(60.0), &json!(52.0), &json!(null))
    );
    let in_time = standing("T-10015");
    assert_eq!(
        (&in_time["overdue_h"], &in_time["remaining_h"]),
        (&json!(null), &json!(37.6))
    );
    let closed = standing("T-10068");
    assert_eq!((&closed["status"], &closed["age_h"]), (&json!("closed"), &json!(null)));
    assert!(closed["took_h"].is_number());
}

#[test]
fn a_list_is_ordered_as_asked_with_ties_by_id() {
    let first = |sort: &str| {
        let output = call(&DESK, "search_tasks", json!({"site_id": "SITE-002", "sort": sort})).unwrap();
        ids(&output).join(" ")
    };
    assert_eq!(first("criticality"), "T-10017 T-10015 T-10016");
    assert_eq!(first("due"), "T-10017 T-10016 T-10015");
    assert_eq!(first("oldest"), "T-10017 T-10016 T-10015");
    assert_eq!(first("newest"), "T-10015 T-10016 T-10017");
    assert_eq!(first("updated"), "T-10017 T-10015 T-10016");
}

#[test]
fn the_crew_finds_site_access_contact_alarms_and_notes_with_the_task() {
    let output = call(
        &person("E-027"),
        "get_field_task_details",
        json!({"task_id": "T-10015"}),
    )
    .unwrap();
    let value = &output.value;
    assert_eq!(value["site"]["id"], "SITE-002");
    assert_eq!(value["site"]["access"]["authorization"]["status"], "authorized");
    assert_eq!(value["site"]["contact"]["phone"], "+56981000002");
    assert_eq!(value["site"]["alarms"][0]["id"], "A-50123");
    assert_eq!(value["crew"]["id"], "CU-AN-03");
    assert_eq!(value["notes"][0]["text"], "Cuadrilla en camino, ETA 20 min.");
}

#[test]
fn a_place_as_echoed_means_the_same_when_it_is_asked_again() {
    for place in [
        "comuna de Santiago",
        "región de Antofagasta",
        "antofagasta",
        "tarapaca",
        "santiago",
        "RM",
        "vina",
    ] {
        let first = call(&DESK, "search_tasks", json!({"place": place})).unwrap();
        let again = call(&DESK, "search_tasks", first.params.clone()).unwrap();
        assert_eq!(again, first, "{place}");
    }
    let count = |place: &str| {
        call(&DESK, "search_sites", json!({"place": place}))
            .unwrap()
            .count
            .unwrap()
    };
    assert!(
        count("región de Antofagasta") > count("Antofagasta"),
        "the comuna comes first"
    );
    assert!(count("santiago") > count("comuna de Santiago"));
}

#[test]
fn every_tools_echo_asked_again_gives_the_same_answer() {
    for (tool, args) in [
        (
            "search_tasks",
            json!({"manager": "jorge", "date_from": "2026-11-01", "text": "bateria", "status": "any"}),
        ),
        ("get_tasks_by_manager", json!({"manager": "ximena", "status": "closed"})),
        (
            "get_kpi_summary",
            json!({"zone": "Zona Sur", "period": {"from": "2026-11-01", "to": "2026-11-07"}}),
        ),
        ("quick_lookup", json!({"id": "torre arica"})),
        ("get_site_access", json!({"site_id": "site 6", "holder": "e62"})),
        (
            "find_nearest_sites",
            json!({"location": "-33.45,-70.66", "with_active_tasks": true}),
        ),
        (
            "get_distance_to_site",
            json!({"site_id": "site2", "location": "sitio 1"}),
        ),
        ("count_tasks", json!({"group_by": "manager", "period": "24h"})),
    ] {
        let first = call(&DESK, tool, args).unwrap();
        let again = call(&DESK, tool, first.params.clone()).unwrap();
        assert_eq!(again, first, "{tool}");
    }
}
