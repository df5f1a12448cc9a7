//! The whole catalogue of questions: for each tool, as people ask, with the arguments found.

use super::*;

/// What is typed, the tool, and arguments that must be among those it ran with.
fn rows() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (
            "historial de la t10001",
            "get_task_timeline",
            json!({"task_id": "T-10001"}),
        ),
        (
            "q le han hecho a la 10005",
            "get_task_timeline",
            json!({"task_id": "T-10005"}),
        ),
        (
            "cuando vence la T-10015?",
            "get_task_sla",
            json!({"task_id": "T-10015"}),
        ),
        ("sla de la 10001 porfa", "get_task_sla", json!({"task_id": "T-10001"})),
        ("notas de la t-10001", "get_task_notes", json!({"task_id": "T-10001"})),
        (
            "q comentarios tiene la T10005",
            "get_task_notes",
            json!({"task_id": "T-10005"}),
        ),
        (
            "tareas sin movimiento hace mas de 72 horas zona norte",
            "get_aging_tasks",
            json!({"hours": 72, "zone": "norte"}),
        ),
        (
            "q tareas llevan mas de 3 dias sin actualizar",
            "get_aging_tasks",
            json!({"hours": 72}),
        ),
        (
            "tareas sin gestor en zona norte",
            "get_unassigned_tasks",
            json!({"zone": "norte"}),
        ),
        (
            "criticas sin asignar",
            "get_unassigned_tasks",
            json!({"criticality": "critical"}),
        ),
        ("tareas vencidas zona sur", "get_sla_breaches", json!({"zone": "sur"})),
        ("cuales estan fuera de sla", "get_sla_breaches", json!({})),
        (
            "estadisticas de tareas zona norte",
            "get_task_stats",
            json!({"zone": "norte", "period": "7d"}),
        ),
        (
            "kpi en tiempo real zn norte",
            "get_kpi_realtime",
            json!({"zone": "norte"}),
        ),
        ("indicadores ahora mismo", "get_kpi_realtime", json!({})),
        ("mttr zona norte", "get_mttr", json!({"zone": "norte"})),
        (
            "mttr correctivas ultimos 30 dias",
            "get_mttr",
            json!({"work_type": "corrective", "period": "30d"}),
        ),
        (
            "cumplimiento sla zona sur",
            "get_sla_compliance",
            json!({"zone": "sur"}),
        ),
        (
            "tendencia del mttr por semana zona norte",
            "get_kpi_trend",
            json!({"metric": "mttr", "bucket": "week", "zone": "norte"}),
        ),
        (
            "tareas creadas por dia",
            "get_kpi_trend",
            json!({"metric": "created", "bucket": "day"}),
        ),
        ("backlog zona sur", "get_backlog", json!({"zone": "sur"})),
        (
            "kpi x gestor zona norte",
            "get_kpi_by_manager",
            json!({"zone": "norte"}),
        ),
        (
            "fallas recurrentes zona sur",
            "get_recurrence_patterns",
            json!({"zone": "sur", "period": "90d"}),
        ),
        ("q sitios reincidentes hay", "get_recurrence_patterns", json!({})),
        (
            "cuadrillas disponibles zona norte",
            "get_crew_status",
            json!({"zone": "norte"}),
        ),
        (
            "q esta haciendo la CU-AN-03",
            "get_crew_status",
            json!({"crew_id": "CU-AN-03"}),
        ),
        (
            "cuadrilla mas cercana al sitio 2",
            "find_nearest_crews",
            json!({"location": {"site_id": "SITE-002"}}),
        ),
        (
            "filas del panel de prioridad 1 zona norte",
            "search_panel",
            json!({"priority": 1, "zone": "norte"}),
        ),
        (
            "q hay escalado en zona norte",
            "get_escalations",
            json!({"zone": "norte"}),
        ),
        ("escaladas a nivel 2", "get_escalations", json!({"level": 2})),
        ("q atiendo primero", "get_priority_ranking", json!({"limit": 10})),
        (
            "lo mas urgente zona sur",
            "get_priority_ranking",
            json!({"zone": "sur"}),
        ),
        (
            "clientes afectados zona austral",
            "get_customer_impact",
            json!({"zone": "austral"}),
        ),
        ("cuantos clientes estan sin servicio", "get_customer_impact", json!({})),
        (
            "que equipos tiene el sitio 1",
            "get_site_inventory",
            json!({"site_id": "SITE-001"}),
        ),
        (
            "q rectificador hay en sitio 1",
            "get_site_inventory",
            json!({"site_id": "SITE-001", "equipment": "rectificador"}),
        ),
        (
            "contacto del sitio 2",
            "get_site_contacts",
            json!({"site_id": "SITE-002"}),
        ),
        (
            "a kien llamo por el sitio 1",
            "get_site_contacts",
            json!({"site_id": "SITE-001"}),
        ),
        (
            "historial del sitio 2",
            "get_site_history",
            json!({"site_id": "SITE-002", "period": "90d"}),
        ),
        (
            "entrega de turno zona norte",
            "get_shift_handover",
            json!({"zone": "norte", "hours": 12}),
        ),
        ("q dejo el turno anterior", "get_shift_handover", json!({})),
        (
            "clasifica: se corto la luz en el sitio 1",
            "classify_incident",
            json!({"site_id": "SITE-001", "text": "se corto la luz en el sitio 1"}),
        ),
        (
            "compara zona norte con zona sur",
            "compare_zones",
            json!({"zones": ["norte", "sur"]}),
        ),
        (
            "compara las zonas ultimos 30 dias",
            "compare_zones",
            json!({"period": "30d"}),
        ),
        ("analiza el sitio 14", "analyze_site", json!({"site_id": "SITE-014"})),
        (
            "por que falla tanto el sitio 14",
            "analyze_site",
            json!({"site_id": "SITE-014"}),
        ),
        (
            "alarmas sin tarea zona norte",
            "correlate_alarms_tasks",
            json!({"zone": "norte"}),
        ),
        (
            "la alarma del sitio 25 ya tiene ticket?",
            "correlate_alarms_tasks",
            json!({"site_id": "SITE-025"}),
        ),
        (
            "monitores del sitio 111",
            "get_monitor_status",
            json!({"site_id": "SITE-111"}),
        ),
        (
            "voltaje de baterias del sitio 111",
            "get_monitor_status",
            json!({"site_id": "SITE-111", "metric": "battery_voltage_v"}),
        ),
        (
            "monitores en alerta zona norte",
            "get_monitor_alerts",
            json!({"zone": "norte"}),
        ),
        (
            "umbral de temperatura",
            "get_monitor_thresholds",
            json!({"metric": "cabinet_temp_c"}),
        ),
    ]
}

#[test]
fn every_read_tool_is_found_by_what_people_type_with_its_arguments() {
    let engine = engine();
    let mut wrong = Vec::new();
    for (typed, tool, wanted) in rows() {
        let reply = Talk::new(&engine).ask(typed);
        let [call] = reply.trace.tool_calls.as_slice() else {
            wrong.push(format!("{typed}: called {}: {}", called(&reply), reply.text));
            continue;
        };
        if call.tool != tool {
            wrong.push(format!("{typed}: {} {}, not {tool}", call.tool, call.params));
            continue;
        }
        for (name, value) in wanted.as_object().unwrap() {
            if call.params[name] != *value {
                wrong.push(format!(
                    "{typed}: {name} is {}, not {value}: {}",
                    call.params[name], reply.text
                ));
            }
        }
        if reply.full.contains("no lo puedo") {
            wrong.push(format!(
                "{typed}: {}",
                reply.full.lines().take(4).collect::<Vec<_>>().join(" | ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
