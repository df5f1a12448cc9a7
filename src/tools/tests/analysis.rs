//! The answers of several systems: the shift, the zones, a site over time, an incident.

use serde_json::{Value, json};

use super::{figures_of as figures, kind};
use crate::domain::caller::Caller;
use crate::domain::sets::SiteStatus;
use crate::tools::fixture::{call, call_in, changed, in_world};

const DESK: Caller = Caller::Desk;

fn value(tool: &str, args: Value) -> Value {
    call(&DESK, tool, args).unwrap().value
}

#[test]
fn a_shift_hands_over_what_opened_moved_closed_and_stays() {
    let handed = |args| {
        figures(
            &value("get_shift_handover", args),
            [
                "opened",
                "moved",
                "closed",
                "pending",
                "pending_critical",
                "pending_overdue",
                "pending_due_soon",
            ],
        )
    };
    assert_eq!(
        handed(json!({"zone": "norte"})),
        [12.0, 19.0, 0.0, 45.0, 12.0, 8.0, 7.0]
    );
    assert_eq!(handed(json!({"hours": 8})), [38.0, 69.0, 9.0, 240.0, 42.0, 77.0, 17.0]);
    let shift = value("get_shift_handover", json!({"zone": "norte"}));
    let strings_of = |key: &str| -> Vec<String> {
        let rows = shift[key].as_array().unwrap().iter();
        rows.map(|t| t["id"].as_str().unwrap().to_owned()).collect()
    };
    let (opened, moved) = (strings_of("opened_tasks"), strings_of("moved_tasks"));
    assert!(
        moved.iter().all(|id| !opened.contains(id)),
        "what opened did not also move"
    );
}

#[test]
fn zones_stand_side_by_side_from_north_to_south_or_as_named() {
    let all = value("compare_zones", json!({}));
    let names: Vec<&str> = all["zones"]
        .as_array()
        .unwrap()
        .iter()
        .map(|z| z["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 5);
    assert_eq!((names[0], names[4]), ("norte", "austral"));
    let two = call(
        &DESK,
        "compare_zones",
        json!({"zones": ["RM", "Zona Norte"], "period": "30d"}),
    )
    .unwrap();
    assert_eq!(two.params["zones"], json!(["metropolitana", "norte"]));
    let of = |at: usize| {
        figures(
            &two.value["zones"][at],
            ["active", "critical", "closed", "mttr", "compliance"],
        )
    };
    assert_eq!(of(0), [70.0, 15.0, 138.0, 8.9, 89.9]);
    assert_eq!(of(1), [45.0, 12.0, 84.0, 7.0, 96.4]);
    assert_eq!(
        kind(call(&DESK, "compare_zones", json!({"zones": ["oriente"]}))),
        "no zone oriente"
    );
}

#[test]
fn a_sites_analysis_says_what_keeps_happening() {
    let site = value("analyze_site", json!({"site_id": "SITE-014"}));
    assert_eq!(
        figures(&site, ["created", "closed", "mttr", "alarms", "alarms_without_task"]),
        [19.0, 16.0, 7.8, 7.0, 6.0]
    );
    assert_eq!(
        (&site["recurrent"][0]["title"], &site["recurrent"][0]["count"]),
        (&json!("Batería en descarga"), &json!(10))
    );
    assert_eq!(site["repeated_alarms"].as_array().unwrap().len(), 2);
    assert_eq!(site["together"][0]["alarm"], "Celda fuera de servicio");
    let quiet = value("analyze_site", json!({"site_id": "SITE-002"}));
    assert_eq!(
        figures(&quiet, ["created", "closed", "mttr", "alarms"]),
        [12.0, 9.0, 6.6, 6.0]
    );
}

#[test]
fn an_incident_is_classified_by_its_words_and_raised_by_its_site() {
    let class = |args: Value| {
        let v = value("classify_incident", args);
        let word = |key: &str| v[key].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", word("work_type"), word("category"), word("criticality"))
    };
    for (text, expected) in [
        ("Rectificador en falla", "corrective power medium"),
        ("se cortó la luz, estamos en baterías", "corrective power high"),
        ("corte de fibra en la troncal", "corrective transport critical"),
        ("robaron las baterías", "corrective security critical"),
        ("hay humo en la sala", "corrective environment critical"),
        ("no hay humo, solo alta temperatura", "corrective environment high"),
        ("VSWR alto sector 2", "corrective radio medium"),
        ("mantenimiento preventivo de clima", "preventive environment low"),
        ("auditoría de inventario", "audit - low"),
        ("Instalación de RRU sector 1", "installation radio medium"),
        ("recambio de tarjeta en POP", "POP - medium"),
        ("se cayó el sitio", "corrective - critical"),
        ("algo raro", "corrective - medium"),
    ] {
        assert_eq!(class(json!({"text": text})), expected, "{text}");
    }
    // SITE-001 is critical and has a critical alarm of temperature.
    let at_site = value(
        "classify_incident",
        json!({"text": "temperatura subiendo", "site_id": "SITE-001"}),
    );
    assert_eq!(
        (&at_site["criticality"], &at_site["sla_hours"]),
        (&json!("critical"), &json!(8))
    );
    let because: Vec<&str> = at_site["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["because"].as_str().unwrap())
        .collect();
    assert_eq!(because, ["words", "critical_alarm", "critical_site"]);
    assert_eq!(at_site["alike"][0]["id"], "T-10001");
    let world =
        changed(|r| r.sites.iter_mut().find(|s| s.id.as_str() == "SITE-003").unwrap().status = SiteStatus::Down);
    let down = call_in(
        &in_world(&world, &DESK),
        "classify_incident",
        json!({"text": "VSWR alto", "site_id": "SITE-003"}),
    )
    .unwrap()
    .value;
    assert_eq!(down["criticality"], "critical");
    assert_eq!(
        kind(call(
            &DESK,
            "classify_incident",
            json!({"text": "x", "site_id": "SITE-999"})
        )),
        "no site SITE-999"
    );
}
