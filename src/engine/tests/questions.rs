//! One question, its tool, its arguments, its words.

use super::*;

#[test]
fn the_three_lines_about_a_site() {
    let engine = engine();
    for text in [
        "estado sitio SITE-002",
        "sitio 2",
        "site002",
        "stio 2",
        "como ta el sitio 2?",
        "torre arica",
        "SITE-OO2",
        "status of site 2",
    ] {
        let reply = Talk::new(&engine).ask(text);
        assert_eq!(params(&reply, "quick_site_status")["site_id"], "SITE-002", "{text}");
        let lines: Vec<&str> = reply.text.lines().collect();
        assert!(lines[0].starts_with("SITE-002 Torre Arica"), "{text}: {}", reply.text);
        assert_eq!(lines[1..3], ["3 tareas activas", "0 alarmas críticas"]);
        assert!(lines[3].starts_with("Acceso: autorizado"), "{}", lines[3]);
    }
}

#[test]
fn the_summary_of_critical_stalled_tasks_says_every_figure_first() {
    let engine = engine();
    let reply = Talk::new(&engine).ask("resumen de tareas críticas estancadas en zona norte");
    let tools: Vec<&str> = reply.trace.tool_calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(tools, ["search_tasks", "get_kpi_summary", "get_panel_summary"]);
    let lead: Vec<&str> = reply.answer.lead.iter().map(|line| line.text.as_str()).collect();
    let lead = lead.join("\n");
    for figure in [
        "12 tareas críticas estancadas",
        "MTTR 4.2 h",
        "7 días",
        "45",
        "31",
        "8",
        "3 escaladas",
        "5 con más de 48 h",
        "2 sin gestor",
    ] {
        assert!(lead.contains(figure), "{figure} is not in {lead}");
    }
    assert_eq!(reply.answer.items.len(), 12);
    assert!(reply.text.chars().count() <= 1500 && reply.full.contains("T-10007"));
}

#[test]
fn questions_find_their_tool_and_its_arguments() {
    let engine = engine();
    for (text, tool, wanted) in [
        (
            "tareas zona norte",
            "get_tasks_by_zone",
            json!({"zone": "norte", "status": "active"}),
        ),
        (
            "tareas correctivas zn norte",
            "search_tasks",
            json!({"zone": "norte", "work_type": "corrective"}),
        ),
        (
            "tareas cerradas ayer en el sur",
            "search_tasks",
            json!({"zone": "sur", "status": "closed", "date_from": "2026-11-29", "date_to": "2026-11-29"}),
        ),
        ("pendientes de antofa", "search_tasks", json!({"place": "Antofagasta"})),
        (
            "tareas del sitio 1",
            "get_tasks_by_site",
            json!({"site_id": "SITE-001"}),
        ),
        (
            "tareas de jorge martinez",
            "get_tasks_by_manager",
            json!({"manager": "E-001"}),
        ),
        (
            "que cerro jorge martinez la semana pasada",
            "get_tasks_by_manager",
            json!({"manager": "E-001", "status": "closed", "period": {"from": "2026-11-23", "to": "2026-11-29"}}),
        ),
        ("estancadas zona norte", "get_stalled_tasks", json!({"zone": "norte"})),
        (
            "tareas estancadas en iquique",
            "search_tasks",
            json!({"status": "stalled", "place": "Iquique"}),
        ),
        (
            "cuantas tareas por gestor",
            "count_tasks",
            json!({"group_by": "manager"}),
        ),
        (
            "cuantas abiertas hay en zona sur",
            "count_tasks",
            json!({"zone": "sur", "status": "active"}),
        ),
        ("mis tareas", "get_my_tasks", json!({})),
        ("la T10001 en que va", "get_task_status", json!({"task_id": "T-10001"})),
        (
            "dame el detalle de la tarea 10001",
            "get_field_task_details",
            json!({"task_id": "T-10001"}),
        ),
        (
            "alarmas criticas de energia zona norte",
            "get_active_alarms",
            json!({"zone": "norte", "severity": "critical", "category": "power"}),
        ),
        ("alarmas del sitio 1", "get_site_alarms", json!({"site_id": "SITE-001"})),
        (
            "que sitios estan caidos en el norte",
            "search_sites",
            json!({"zone": "norte", "status": "down"}),
        ),
        (
            "puedo entrar al sitio 44?",
            "get_site_access",
            json!({"site_id": "SITE-044"}),
        ),
        (
            "donde queda el sitio 5",
            "get_site_info",
            json!({"site_id": "SITE-005"}),
        ),
        (
            "mttr zona norte ultimos 30 dias",
            "get_mttr",
            json!({"zone": "norte", "period": "30d"}),
        ),
        ("panel zona norte", "get_panel_summary", json!({"zone": "norte"})),
        ("ponme al dia", "get_daily_briefing", json!({})),
        ("como ta la red", "get_network_health", json!({})),
        (
            "distancia entre sitio 1 y sitio 2",
            "get_distance_to_site",
            json!({"location": {"site_id": "SITE-001"}, "site_id": "SITE-002"}),
        ),
        (
            "sitios cerca del sitio 2",
            "find_nearest_sites",
            json!({"location": {"site_id": "SITE-002"}}),
        ),
        ("quien es paula perez", "quick_lookup", json!({"id": "E-023"})),
        ("A-50001", "quick_lookup", json!({"id": "A-50001"})),
        (
            "tareas en santiago",
            "get_tasks_by_zone",
            json!({"zone": "metropolitana"}),
        ),
        ("minhas tarefas", "get_my_tasks", json!({})),
        (
            "open tasks at site 1",
            "get_tasks_by_site",
            json!({"site_id": "SITE-001"}),
        ),
    ] {
        let reply = Talk::new(&engine).ask(text);
        let params = params(&reply, tool);
        for (name, value) in wanted.as_object().unwrap() {
            assert_eq!(&params[name], value, "{text}: {name}");
        }
    }
}

#[test]
fn several_questions_are_answered_together() {
    let engine = engine();
    let calls = |text: &str| {
        let reply = Talk::new(&engine).ask(text);
        reply
            .trace
            .tool_calls
            .iter()
            .map(|call| call.tool.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        calls("estado sitio 2\nalarmas zona norte"),
        ["quick_site_status", "get_active_alarms"]
    );
    assert_eq!(
        calls("acceso y alarmas del sitio 2"),
        ["get_site_access", "get_site_alarms"]
    );
    assert_eq!(calls("sitios 2 y 3"), ["quick_site_status", "quick_site_status"]);
    assert_eq!(calls("estado\nsitio 2"), ["quick_site_status"]);
    assert_eq!(calls("SITE-002 SITE-003 SITE-005 SITE-006 SITE-007 SITE-008").len(), 5);
}

#[test]
fn what_a_tool_cannot_take_is_said() {
    let engine = engine();
    let reply = Talk::new(&engine).ask("tareas de energia en antofagasta");
    assert!(
        reply.full.contains("no lo puedo acotar por tipo de falla"),
        "{}",
        reply.full
    );
    let reply = Talk::new(&engine).ask("estancadas sin gestor zona norte");
    assert!(
        reply.full.contains("sin gestor") && reply.full.contains("acotar por estado"),
        "{}",
        reply.full
    );
}
