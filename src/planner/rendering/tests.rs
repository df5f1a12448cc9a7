//! What people read, on the demo operator.

use serde_json::{Value, json};

use super::*;
use crate::domain::caller::Caller;
use crate::format::whatsapp;
use crate::tools::fixture::{call, cx, person};

fn said(caller: &Caller, tool: &str, args: Value) -> String {
    let answer = match call(caller, tool, args) {
        Ok(output) => render(tool, &output, &cx(caller)),
        Err(error) => failure(tool, &error, &cx(caller)),
    };
    whatsapp::full(&answer)
}

#[test]
fn a_site_at_a_glance_is_three_plain_lines_under_its_name() {
    let text = said(&Caller::Desk, "quick_site_status", json!({"site_id": "SITE-002"}));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "SITE-002 Torre Arica (zona norte, activo)",
            "3 tareas activas",
            "0 alarmas críticas",
            "Acceso: autorizado hasta 03/12 10:41 (Paula Martínez). Llevar EPP y credencial",
            "",
            "Tareas, Red y Sitios 10:41",
        ]
    );
}

#[test]
fn one_of_a_thing_is_said_in_the_singular() {
    let text = said(&Caller::Desk, "quick_site_status", json!({"site_id": "SITE-001"}));
    assert!(text.contains("\n1 alarma crítica\n"), "{text}");
    let text = said(&Caller::Desk, "quick_site_status", json!({"site_id": "SITE-004"}));
    assert!(text.contains("\n1 tarea activa\n"), "{text}");
}

#[test]
fn the_asker_reads_his_own_authorisation_and_a_guest_nobodys_name() {
    let own = said(&person("E-022"), "quick_site_status", json!({"site_id": "SITE-002"}));
    assert!(
        own.contains("Acceso: autorizado a tu nombre hasta 03/12 10:41"),
        "{own}"
    );
    let guest = said(&Caller::Guest, "quick_site_status", json!({"site_id": "SITE-002"}));
    assert!(
        guest.contains("Acceso: autorizado hasta 03/12 10:41. Llevar"),
        "{guest}"
    );
}

#[test]
fn an_unknown_site_is_said_not_to_exist_with_the_nearest_names() {
    let text = said(&Caller::Desk, "quick_site_status", json!({"site_id": "SITE-999"}));
    assert!(
        text.starts_with("No existe SITE-999. Parecidos: SITE-099 Cerro Placilla, "),
        "{text}"
    );
    assert!(text.ends_with("Sitios 10:41"), "{text}");
}

#[test]
fn a_name_of_two_managers_lists_both() {
    let text = said(&Caller::Desk, "search_tasks", json!({"manager": "Martinez"}));
    assert!(
        text.contains("1. E-001 Jorge Martínez\n\n2. E-010 Óscar Martínez")
            || text.contains("1. E-001 Jorge Martínez\n2. E-010 Óscar Martínez"),
        "{text}"
    );
    assert!(!text.contains("Paula"), "a technician is no manager: {text}");
}

#[test]
fn a_list_says_what_it_holds_and_each_task_in_two_lines() {
    let args = json!({"status": "stalled", "criticality": "critical", "zone": "norte"});
    let text = said(&Caller::Desk, "search_tasks", args);
    assert!(
        text.starts_with("*12 tareas críticas estancadas en zona norte*"),
        "{text}"
    );
    assert!(
        text.contains(
            "1. T-10005 Potencia óptica baja, SITE-110\nestancada 2 d 6 h, vencida hace 2 d 11 h, sin gestor"
        ),
        "{text}"
    );
    assert!(text.ends_with("Tareas 10:41"), "{text}");
}

#[test]
fn nothing_is_said_to_be_nothing() {
    let args = json!({"status": "on_hold", "criticality": "critical", "zone": "norte"});
    let text = said(&Caller::Desk, "search_tasks", args);
    assert!(
        text.starts_with("No hay tareas críticas en espera en zona norte."),
        "{text}"
    );
    assert!(text.ends_with("Tareas 10:41"), "{text}");
    let text = said(
        &Caller::Desk,
        "get_site_alarms",
        json!({"site_id": "SITE-004", "severity": "critical"}),
    );
    assert!(
        text.starts_with("SITE-004 Torre Temuco: 0 alarmas críticas activas"),
        "{text}"
    );
}

#[test]
fn the_figures_of_zona_norte_are_said_as_the_operator_says_them() {
    let kpi = said(&Caller::Desk, "get_kpi_summary", json!({"zone": "norte"}));
    assert_eq!(
        kpi,
        "*Zona norte, últimos 7 días*\nMTTR 4.2 h\n45 tareas abiertas (activas)\n31 cerradas en el período\n8 en breach de SLA\n\nKPI 10:41"
    );
    let panel = said(&Caller::Desk, "get_panel_summary", json!({"zone": "norte"}));
    assert_eq!(
        panel,
        "*Zona norte: 19 tareas en el panel*\n3 escaladas\n5 con más de 48 h sin movimiento\n2 sin gestor\n\nPanel y Tareas 10:41"
    );
}

#[test]
fn times_are_local_to_the_zone_asked_about() {
    // In winter Punta Arenas keeps -03 while Santiago is at -04.
    let winter: jiff::Timestamp = "2026-07-15T12:00:00Z".parse().unwrap();
    let caller = Caller::Desk;
    let cx = Cx {
        now: winter,
        desk: None,
        ..cx(&caller)
    };
    let at = |zone: &str| Pen::new(cx, Zone::parse(zone).ok()).at(winter);
    assert_eq!((at("austral").as_str(), at("norte").as_str()), ("09:00", "08:00"));
}

#[test]
fn another_day_and_another_year_are_said() {
    let caller = Caller::Desk;
    let pen = Pen::new(cx(&caller), None);
    let at = |text: &str| pen.at(text.parse().unwrap());
    assert_eq!(at("2026-11-29T13:41:00Z"), "29/11 10:41");
    assert_eq!(at("2022-11-29T13:41:00Z"), "29/11/2022 10:41");
    assert_eq!(pen.at_or_unknown(None), "Sin registro");
}

#[test]
fn durations_are_said_as_people_say_them() {
    let said = [0.0, 0.5, 0.99, 1.0, 47.4, 48.0, 50.0, 72.0, -1.0].map(duration);
    assert_eq!(
        said,
        [
            "0 min", "30 min", "59 min", "1 h", "47 h", "2 d", "2 d 2 h", "3 d", "0 min"
        ]
    );
}

#[test]
fn the_order_asked_for_is_the_order_shown() {
    let desk = Caller::Desk;
    for (tool, args) in [
        ("search_tasks", json!({"sort": "due", "limit": 200})),
        ("search_tasks", json!({"sort": "newest", "status": "any", "limit": 200})),
        ("search_tasks", json!({"limit": 200})),
        ("get_my_tasks", json!({"limit": 200})),
        ("get_active_alarms", json!({"limit": 200})),
        ("search_sites", json!({"limit": 200})),
        (
            "find_nearest_sites",
            json!({"location": {"lat": -33.4, "lon": -70.6}, "limit": 200}),
        ),
        ("get_site_access", json!({"site_id": "SITE-006"})),
    ] {
        let output = call(&desk, tool, args).unwrap();
        let answer = render(tool, &output, &cx(&desk));
        let shown: Vec<&str> = whatsapp::subjects(&answer).into_iter().map(|s| s.unwrap()).collect();
        let ids: Vec<&str> = output.value["ids"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_str().unwrap())
            .collect();
        assert!(!shown.is_empty() && ids.starts_with(&shown), "{tool}: {shown:?}");
    }
}

#[test]
fn rows_beyond_the_limit_are_counted() {
    let desk = Caller::Desk;
    let output = call(
        &desk,
        "search_tasks",
        json!({"zone": "norte", "limit": 10, "offset": 20}),
    )
    .unwrap();
    let answer = render("search_tasks", &output, &cx(&desk));
    assert_eq!((answer.items.len(), answer.beyond), (10, 15));
    let past = said(&desk, "search_tasks", json!({"zone": "norte", "offset": 45}));
    assert!(
        past.starts_with("No hay más tareas activas en zona norte: son 45 en total."),
        "{past}"
    );
}

#[test]
fn every_tool_is_rendered_for_everybody_without_raw_json_and_with_short_suggestions() {
    let people = [
        Caller::Desk,
        Caller::Guest,
        person("E-027"),
        person("E-001"),
        person("E-013"),
    ];
    for caller in &people {
        for (tool, args) in one_of_each() {
            let Ok(output) = call(caller, tool, args) else { continue };
            let answer = render(tool, &output, &cx(caller));
            let text = whatsapp::full(&answer);
            assert!(!text.contains("Tengo el dato") && !text.contains('{'), "{tool}: {text}");
            assert!(!answer.footer.is_empty(), "{tool}");
            assert!(answer.suggestions.iter().all(|s| s.chars().count() <= 20), "{tool}");
        }
    }
}

#[test]
fn a_guest_reads_no_name_phone_or_mail() {
    let world = cx(&Caller::Desk).world;
    for (tool, args) in one_of_each() {
        let answer = match call(&Caller::Guest, tool, args) {
            Ok(output) => {
                let value = output.value.to_string();
                assert!(
                    !value.contains("+569") && !value.contains("@operador"),
                    "{tool}: {value}"
                );
                render(tool, &output, &cx(&Caller::Guest))
            }
            Err(error) => failure(tool, &error, &cx(&Caller::Guest)),
        };
        let text = whatsapp::full(&answer);
        for person in world.employees() {
            assert!(!text.contains(&person.name), "{tool} names {}: {text}", person.id);
        }
        assert!(!text.contains("+569") && !text.contains("@operador"), "{tool}: {text}");
    }
}

/// A call of each tool.
fn one_of_each() -> Vec<(&'static str, Value)> {
    let here = json!({"lat": -33.45, "lon": -70.66});
    vec![
        ("search_tasks", json!({"zone": "norte"})),
        ("get_task_status", json!({"task_id": "T-10001"})),
        ("get_tasks_by_site", json!({"site_id": "SITE-002"})),
        ("get_tasks_by_manager", json!({"manager": "E-001", "status": "closed"})),
        ("get_tasks_by_zone", json!({"zone": "austral"})),
        ("get_my_tasks", json!({})),
        ("count_tasks", json!({"group_by": "manager"})),
        ("count_tasks", json!({"group_by": "site"})),
        ("get_stalled_tasks", json!({})),
        ("get_kpi_summary", json!({})),
        ("get_field_task_details", json!({"task_id": "T-10015"})),
        ("find_nearest_sites", json!({"location": here})),
        ("get_distance_to_site", json!({"site_id": "SITE-001", "location": here})),
        ("get_panel_summary", json!({})),
        ("get_site_info", json!({"site_id": "SITE-001"})),
        ("search_sites", json!({"text": "torre"})),
        ("get_site_access", json!({"site_id": "SITE-006"})),
        ("get_daily_briefing", json!({})),
        ("get_network_health", json!({})),
        (
            "get_site_alarms",
            json!({"site_id": "SITE-025", "include_cleared": true}),
        ),
        ("get_active_alarms", json!({"zone": "sur"})),
        ("quick_lookup", json!({"id": "T-10001"})),
        ("quick_lookup", json!({"id": "SITE-002"})),
        ("quick_lookup", json!({"id": "A-50001"})),
        ("quick_lookup", json!({"id": "CU-AN-03"})),
        ("quick_lookup", json!({"id": "E-022"})),
        ("quick_lookup", json!({"id": "AS-00001"})),
        ("quick_lookup", json!({"id": "AC-7003"})),
        ("quick_lookup", json!({"id": "M-002"})),
        ("quick_lookup", json!({"id": "martinez"})),
        ("quick_lookup", json!({"id": "cuadrilla norte"})),
        ("quick_lookup", json!({"id": "nadie asi"})),
        ("quick_site_status", json!({"site_id": "SITE-001"})),
        ("get_task_timeline", json!({"task_id": "T-10001"})),
        ("get_task_sla", json!({"task_id": "T-10001"})),
        ("get_task_notes", json!({"task_id": "T-10001"})),
        ("get_aging_tasks", json!({"hours": 72})),
        ("get_unassigned_tasks", json!({"zone": "norte"})),
        ("get_sla_breaches", json!({"zone": "sur"})),
        ("get_task_stats", json!({"zone": "norte"})),
        ("get_kpi_realtime", json!({"zone": "norte"})),
        ("get_mttr", json!({"zone": "norte", "criticality": "critical"})),
        ("get_sla_compliance", json!({"zone": "sur"})),
        ("get_kpi_trend", json!({"metric": "mttr", "bucket": "day"})),
        (
            "get_kpi_trend",
            json!({"metric": "created", "bucket": "week", "period": "30d"}),
        ),
        ("get_backlog", json!({"zone": "norte"})),
        ("get_kpi_by_manager", json!({"zone": "norte"})),
        ("get_recurrence_patterns", json!({})),
        ("get_crew_status", json!({"zone": "norte"})),
        ("get_crew_status", json!({"crew_id": "CU-AN-03"})),
        ("find_nearest_crews", json!({"location": {"site_id": "SITE-002"}})),
        ("search_panel", json!({"zone": "norte", "escalated": true})),
        ("get_escalations", json!({"zone": "norte"})),
        ("get_priority_ranking", json!({"limit": 3})),
        ("get_customer_impact", json!({"zone": "austral"})),
        ("get_site_inventory", json!({"site_id": "SITE-001"})),
        ("get_site_contacts", json!({"site_id": "SITE-001"})),
        ("get_site_history", json!({"site_id": "SITE-002"})),
        ("get_shift_handover", json!({"zone": "norte"})),
        (
            "classify_incident",
            json!({"text": "sin energía y humo en la sala", "site_id": "SITE-001"}),
        ),
        ("compare_zones", json!({})),
        ("analyze_site", json!({"site_id": "SITE-014"})),
        ("correlate_alarms_tasks", json!({"zone": "norte"})),
        ("get_monitor_status", json!({"site_id": "SITE-111"})),
        ("get_monitor_alerts", json!({})),
        ("get_monitor_thresholds", json!({})),
    ]
}

#[test]
fn a_disabled_tool_says_why_and_what_to_ask_instead() {
    let caller = Caller::Desk;
    let said = |name: &str| {
        let error = crate::tools::disabled(name).unwrap().error();
        whatsapp::full(&failure(name, &error, &cx(&caller)))
    };
    assert_eq!(
        said("get_overdue_tasks"),
        "Esa consulta tiene hoy otro nombre. En su lugar: Tareas fuera de plazo (get_sla_breaches)."
    );
    for row in crate::tools::MODULES.iter().flat_map(|module| module.disabled) {
        assert!(said(row.name).contains(row.replacement), "{}", row.name);
    }
}
