//! Sites: at a glance, the card, the search, access, distance.

use serde_json::{Value, json};

use super::{ids, kind};
use crate::domain::caller::Caller;
use crate::domain::ids::EmployeeId;
use crate::domain::sets::{AccessStatus, AccessType};
use crate::tools::fixture::{call, call_in, changed, in_world, now, person};

const DESK: Caller = Caller::Desk;

#[test]
fn a_site_at_a_glance_is_three_tasks_no_critical_alarm_and_authorised() {
    let output = call(&DESK, "quick_site_status", json!({"site_id": "sitio 2"})).unwrap();
    assert_eq!(output.params, json!({"site_id": "SITE-002"}));
    assert_eq!(
        [
            &output.value["name"],
            &output.value["active_tasks"],
            &output.value["critical_alarms"]
        ],
        [&json!("Torre Arica"), &json!(3), &json!(0)]
    );
    assert_eq!(output.value["access"]["authorization"]["status"], "authorized");
    assert_eq!(output.value["access"]["authorization"]["holder"]["id"], "E-022");
}

/// The access line of SITE-006 after a change of its two authorisations.
fn line(caller: &Caller, change: impl FnOnce(&mut [crate::domain::records::Access])) -> Value {
    let world = changed(|r| {
        r.accesses.retain(|a| a.site_id.as_str() == "SITE-006");
        r.accesses.sort_by(|a, b| a.id.cmp(&b.id));
        change(&mut r.accesses);
    });
    call_in(
        &in_world(&world, caller),
        "quick_site_status",
        json!({"site_id": "SITE-006"}),
    )
    .unwrap()
    .value["access"]
        .clone()
}

#[test]
fn the_access_line_is_the_sites_best() {
    let status = |first, second| {
        let line = line(&DESK, |all| {
            all[0].status = first;
            all[1].status = second;
        });
        line["authorization"]["status"].as_str().unwrap().to_owned()
    };
    use AccessStatus::{Authorized, Denied, Expired, Pending};
    assert_eq!(status(Authorized, Pending), "authorized");
    assert_eq!(status(Denied, Pending), "pending");
    assert_eq!(status(Expired, Denied), "denied");
    assert_eq!(status(Expired, Expired), "expired");
}

#[test]
fn authorised_and_past_its_validity_reads_expired() {
    let line = line(&DESK, |all| {
        all[0].status = AccessStatus::Authorized;
        all[0].valid_to = now().checked_sub(jiff::ToSpan::minutes(1)).ok();
        all[1].status = AccessStatus::Denied;
    });
    assert_eq!(
        line["authorization"]["status"], "denied",
        "a denied one ranks before an expired one"
    );
    let card = call(&DESK, "quick_lookup", json!({"id": "AC-7003"})).unwrap();
    assert_eq!(card.value["card"]["status"], "expired");
}

#[test]
fn the_askers_own_authorisation_comes_before_a_better_one_of_another() {
    let technician = person("E-022");
    let me = EmployeeId::parse("E-022").ok();
    let line = line(&technician, |all| {
        all[0].status = AccessStatus::Authorized;
        all[1].status = AccessStatus::Pending;
        all[1].holder_id = me;
    });
    assert_eq!(
        (&line["authorization"]["status"], &line["authorization"]["own"]),
        (&json!("pending"), &json!(true))
    );
}

#[test]
fn a_site_says_how_it_is_entered_and_a_guest_is_not_told_the_holder() {
    let world = changed(|r| r.sites.iter_mut().for_each(|s| s.access_type = AccessType::Escort));
    let glance = call_in(
        &in_world(&world, &DESK),
        "quick_site_status",
        json!({"site_id": "SITE-002"}),
    )
    .unwrap();
    assert_eq!(glance.value["access"]["access_type"], "escort");
    let guest = line(&Caller::Guest, |_| {});
    assert_eq!(
        (&guest["authorization"]["status"], &guest["authorization"]["holder"]),
        (&json!("authorized"), &Value::Null)
    );
}

#[test]
fn access_lists_every_authorisation_the_best_first_or_one_holders() {
    let all = call(&DESK, "get_site_access", json!({"site_id": "SITE-006"})).unwrap();
    assert_eq!(ids(&all), ["AC-7004", "AC-7005"]);
    let one = call(
        &DESK,
        "get_site_access",
        json!({"site_id": "SITE-006", "holder": "E-062"}),
    )
    .unwrap();
    assert_eq!(ids(&one), ["AC-7005"]);
    let none = call(
        &DESK,
        "get_site_access",
        json!({"site_id": "SITE-006", "holder": "E-001"}),
    )
    .unwrap();
    assert_eq!(none.count, Some(0));
}

#[test]
fn the_card_of_a_site_has_its_counts_and_states_what_is_not_known() {
    let card = call(&DESK, "get_site_info", json!({"site_id": "SITE-001"}))
        .unwrap()
        .value;
    assert_eq!(
        card["tasks_by_criticality"],
        json!({"critical": 3, "high": 0, "medium": 0, "low": 0})
    );
    assert_eq!((&card["active_tasks"], &card["active_alarms"]), (&json!(3), &json!(1)));
    let world = changed(|r| {
        for site in &mut r.sites {
            site.battery_autonomy_h = None;
            site.last_visit = None;
        }
    });
    let card = call_in(
        &in_world(&world, &DESK),
        "get_site_info",
        json!({"site_id": "SITE-001"}),
    )
    .unwrap()
    .value;
    assert!(card["battery_autonomy_h"].is_null() && card["last_visit"].is_null());
}

#[test]
fn sites_are_found_by_every_condition_and_stand_by_id() {
    let found = |args| call(&DESK, "search_sites", args).unwrap();
    assert_eq!(ids(&found(json!({"place": "Iquique"}))), ["SITE-005", "SITE-160"]);
    assert_eq!(found(json!({"status": "down"})).count, Some(10));
    assert_eq!(found(json!({"status": "down", "zone": "norte"})).count, Some(2));
    assert_eq!(found(json!({"site_type": "datacenter"})).count, Some(4));
    assert_eq!(found(json!({"place": "santiago"})).count, Some(44), "the zone");
    assert!(found(json!({"comuna": "santiago"})).count < Some(44), "the comuna");
    assert_eq!(ids(&found(json!({"text": "torre arica"}))).first(), Some(&"SITE-002"));
    let all = found(json!({"limit": 200}));
    assert!(ids(&all).is_sorted() && ids(&all).len() == 180);
}

#[test]
fn the_nearest_sites_stand_by_distance() {
    let here = json!({"lat": -33.45, "lon": -70.66});
    let near = call(&DESK, "find_nearest_sites", json!({"location": here})).unwrap();
    assert_eq!(near.value["sites"].as_array().unwrap().len(), 5);
    assert_eq!(ids(&near)[..3], ["SITE-009", "SITE-038", "RM-1163"]);
    assert_eq!(near.value["sites"][0]["distance_km"], 1.2);
    let busy = call(
        &DESK,
        "find_nearest_sites",
        json!({"location": here, "with_active_tasks": true}),
    )
    .unwrap();
    assert_eq!(ids(&busy)[..3], ["SITE-009", "SITE-038", "SITE-021"]);
    let from_site = call(
        &DESK,
        "find_nearest_sites",
        json!({"location": {"site_id": "SITE-009"}}),
    )
    .unwrap();
    assert!(!ids(&from_site).contains(&"SITE-009"));
}

#[test]
fn the_distance_is_the_great_circle_with_one_decimal() {
    let from = |location: Value| {
        let output = call(
            &DESK,
            "get_distance_to_site",
            json!({"site_id": "SITE-001", "location": location}),
        )
        .unwrap();
        output.value["distance_km"].clone()
    };
    assert_eq!(from(json!({"site_id": "SITE-002"})), json!(576.1));
    assert_eq!(from(json!("SITE-002")), json!(576.1));
    assert_eq!(from(json!({"site_id": "SITE-001"})), json!(0.0));
    let nowhere = call(
        &DESK,
        "get_distance_to_site",
        json!({"site_id": "SITE-001", "location": "mi casa"}),
    );
    assert_eq!(kind(nowhere), "arguments location");
}

#[test]
fn a_look_up_finds_whatever_an_id_or_a_name_is() {
    let found = |id: &str| {
        let output = call(&DESK, "quick_lookup", json!({"id": id})).unwrap();
        format!(
            "{} {}",
            output.value["kind"].as_str().unwrap(),
            output.params["id"].as_str().unwrap()
        )
    };
    for (typed, expected) in [
        ("t10001", "task T-10001"),
        ("site 2", "site SITE-002"),
        ("rm1161", "site RM-1161"),
        ("A-50001", "alarm A-50001"),
        ("cu an 3", "crew CU-AN-03"),
        ("e22", "employee E-022"),
        ("AS-00001", "asset AS-00001"),
        ("ac7003", "access AC-7003"),
        ("m2", "monitor M-002"),
        ("Torre Arica", "site SITE-002"),
        ("paula martinez", "employee E-022"),
        ("Cuadrilla Norte 3", "crew CU-AN-03"),
        ("martinez", "several martinez"),
    ] {
        assert_eq!(found(typed), expected, "{typed}");
    }
    assert_eq!(
        kind(call(&DESK, "quick_lookup", json!({"id": "SITE-999"}))),
        "no site SITE-999"
    );
    assert_eq!(
        kind(call(&DESK, "quick_lookup", json!({"id": "A-99999"}))),
        "no alarm A-99999"
    );
    assert_eq!(
        kind(call(&DESK, "quick_lookup", json!({"id": "nadie asi"}))),
        "no record nadie asi"
    );
}
