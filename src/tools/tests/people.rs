//! Whose data a caller may see.

use serde_json::{Value, json};

use super::kind;
use crate::domain::caller::Caller;
use crate::tools::fixture::{call, person};

fn card(caller: &Caller, id: &str) -> Value {
    call(caller, "quick_lookup", json!({"id": id})).unwrap().value["card"].clone()
}

#[test]
fn phones_are_for_managers_supervisors_the_noc_and_the_own_crew() {
    // E-027 and E-028 are of one crew, E-022 of another.
    let phone = |caller: &Caller, id: &str| card(caller, id)["phone"].is_string();
    for allowed in [
        Caller::Desk,
        person("E-001"),
        person("E-013"),
        person("E-018"),
        person("E-028"),
        person("E-027"),
    ] {
        assert!(phone(&allowed, "E-027"), "{allowed:?}");
    }
    let other = person("E-022");
    assert!(!phone(&other, "E-027"));
    assert_eq!(card(&other, "E-027")["contact_hidden"], true);
    assert_eq!(
        card(&other, "E-027")["name"],
        "Rodrigo Sepúlveda",
        "names are for everybody in the directory"
    );
    let members = &card(&other, "CU-AN-03")["members"];
    assert!(
        members
            .as_array()
            .unwrap()
            .iter()
            .all(|m| m["phone"].is_null() && m["email"].is_null())
    );
}

#[test]
fn a_sites_contact_is_also_for_the_crew_of_an_active_task_there() {
    let contact = |caller: &Caller| {
        let output = call(caller, "get_field_task_details", json!({"task_id": "T-10015"})).unwrap();
        (
            output.value["site"]["contact"].is_object(),
            output.value["site"]["contact_hidden"] == true,
        )
    };
    assert_eq!(contact(&person("E-027")), (true, false), "the crew of the task");
    assert_eq!(contact(&person("E-001")), (true, false), "a manager");
    assert_eq!(contact(&person("E-040")), (false, true), "a technician of elsewhere");
    assert_eq!(contact(&Caller::Guest), (false, true));
}

#[test]
fn a_guest_asks_nothing_about_people() {
    let guest = |tool: &str, args: Value| kind(call(&Caller::Guest, tool, args));
    assert_eq!(
        guest("get_tasks_by_manager", json!({"manager": "Martínez"})),
        "people_data"
    );
    assert_eq!(guest("search_tasks", json!({"manager": "E-001"})), "people_data");
    assert_eq!(guest("count_tasks", json!({"group_by": "manager"})), "people_data");
    assert_eq!(guest("quick_lookup", json!({"id": "E-001"})), "people_data");
    assert_eq!(
        guest("get_site_access", json!({"site_id": "SITE-006", "holder": "Pedro"})),
        "people_data"
    );
    assert_eq!(
        guest("quick_lookup", json!({"id": "jorge martinez"})),
        "no record jorge martinez"
    );
    assert_eq!(guest("search_tasks", json!({"zone": "norte"})), "ok");
}

#[test]
fn no_answer_to_a_guest_holds_a_person() {
    for (tool, args) in [
        ("search_tasks", json!({"limit": 200})),
        ("get_task_status", json!({"task_id": "T-10001"})),
        ("get_field_task_details", json!({"task_id": "T-10015"})),
        ("get_site_access", json!({"site_id": "SITE-006"})),
        ("quick_lookup", json!({"id": "CU-AN-03"})),
        ("quick_lookup", json!({"id": "AC-7004"})),
        ("get_daily_briefing", json!({})),
    ] {
        let text = call(&Caller::Guest, tool, args).unwrap().value.to_string();
        let id = text.find("\"E-0");
        assert_eq!(id, None, "{tool} {text}");
        assert!(!text.contains("+569") && !text.contains('@'), "{tool}");
    }
    let task = call(&Caller::Guest, "get_task_status", json!({"task_id": "T-10001"}))
        .unwrap()
        .value;
    assert_eq!(
        (&task["held_by"]["kind"], &task["managed"]),
        (&json!("technician"), &json!(true))
    );
}

#[test]
fn a_rut_is_never_in_an_answer() {
    for id in ["E-001", "E-022"] {
        assert!(!card(&Caller::Desk, id).to_string().contains("99.1"), "{id}");
    }
}
