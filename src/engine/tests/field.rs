//! What people in the field type, and what must not be passed over in it. Each row stands for a kind.

use super::*;

/// Rows of: who (an id, `noc` or `guest`), what was typed (` / ` between turns), the tools called
/// by the last turn, and what its whole reply must hold (`!` before what it must not).
const ROWS: &[(&str, &str, &str, &[&str])] = &[
    // People by a given name, and several of one name.
    (
        "E-022",
        "tareas de ximena",
        "get_tasks_by_manager",
        &["13 tareas activas de Ximena Rojas"],
    ),
    (
        "noc",
        "que cerro hernan ayer",
        "get_tasks_by_manager",
        &["cerrada el 29/11 de Hernán Araya"],
    ),
    (
        "noc",
        "tareas de paula",
        "",
        &["«paula» puede ser", "E-022 Paula Martínez", "E-023 Paula Pérez"],
    ),
    (
        "noc",
        "tareas de paula / 2",
        "search_tasks",
        &["Paula Pérez no figura como gestor", "CU-AN-01"],
    ),
    (
        "noc",
        "tareas del tecnico perez",
        "",
        &["«perez» puede ser", "!Iván Pérez"],
    ),
    ("noc", "tareas de juanito perez", "", &["No reconozco «juanito»"]),
    (
        "noc",
        "tareas de jorge martinez / y las de ximena",
        "get_tasks_by_manager",
        &["Ximena Rojas"],
    ),
    // A noun alone, a number alone.
    ("noc", "sitio", "", &["¿De qué sitio?"]),
    ("noc", "sitio / 2", "quick_site_status", &["SITE-002"]),
    ("noc", "zona", "", &["¿Qué zona?", "norte", "austral"]),
    ("noc", "tarea", "", &["¿De qué tarea?"]),
    ("noc", "10005", "", &["El número 10005 puede ser", "1. T-10005"]),
    ("noc", "10005 / 1", "get_field_task_details", &["T-10005"]),
    ("noc", "50001", "", &["A-50001"]),
    ("noc", "1161", "", &["RM-1161"]),
    ("noc", "77777", "", &["No encuentro nada con el número 77777"]),
    ("noc", "detalle 10005", "get_field_task_details", &["T-10005"]),
    // Conditions that a list cannot be kept to are said with its title.
    ("noc", "tareas del sitio 1 vencidas", "search_tasks", &["plazo vencido"]),
    (
        "noc",
        "tareas que vencen mañana",
        "search_tasks",
        &["fecha de vencimiento"],
    ),
    (
        "noc",
        "alarmas de ayer zona norte",
        "get_active_alarms",
        &["acotar por fecha"],
    ),
    ("noc", "alarmas de hoy", "get_active_alarms", &["acotar por fecha"]),
    (
        "noc",
        "tareas cerradas el 31 de noviembre",
        "search_tasks",
        &["acotar por fecha"],
    ),
    ("noc", "tareas cerradas mañana", "search_tasks", &["acotar por fecha"]),
    (
        "noc",
        "tareas no criticas",
        "search_tasks",
        &["240 tareas activas", "lo que excluyes"],
    ),
    (
        "noc",
        "tareas que no esten cerradas",
        "search_tasks",
        &["240 tareas activas"],
    ),
    ("noc", "tareas sin cuadrilla", "search_tasks", &["falta de cuadrilla"]),
    (
        "noc",
        "alarmas sin reconocer",
        "get_active_alarms",
        &["lo que excluyes"],
    ),
    (
        "noc",
        "las 5 alarmas mas viejas",
        "get_active_alarms",
        &["no van en el orden"],
    ),
    (
        "noc",
        "mttr por zona",
        "compare_zones",
        &["Zona norte", "MTTR 4.2 h", "!desglosar"],
    ),
    ("E-001", "mi mttr", "get_mttr", &["quién pregunta"]),
    // Days that happened, and months told apart.
    (
        "noc",
        "tareas cerradas hace 2 dias",
        "search_tasks",
        &["22 tareas cerradas el 28/11"],
    ),
    (
        "noc",
        "cuantas tareas cerradas hubo ayer en zona centro",
        "count_tasks",
        &["6 tareas cerradas el 29/11"],
    ),
    (
        "noc",
        "mttr zona norte / y del mes pasado",
        "get_mttr",
        &["del 01/10 al 31/10"],
    ),
    // Lists by their conditions, however said.
    (
        "noc",
        "tareas canceladas zona norte",
        "get_tasks_by_zone",
        &["11 tareas canceladas en zona norte"],
    ),
    (
        "noc",
        "alarmas menores en santiago",
        "get_active_alarms",
        &["6 alarmas menores activas"],
    ),
    (
        "noc",
        "cuantas alarmas hay",
        "get_active_alarms",
        &["123 alarmas activas"],
    ),
    (
        "noc",
        "cuantas alarmas por zona",
        "get_active_alarms",
        &["123 alarmas", "no lo puedo desglosar"],
    ),
    (
        "noc",
        "tareas altas",
        "search_tasks",
        &["64 tareas activas de criticidad alta"],
    ),
    // Several values of one kind.
    (
        "noc",
        "tareas criticas o altas zona norte",
        "get_tasks_by_zone get_tasks_by_zone",
        &["12 tareas críticas activas", "de criticidad alta"],
    ),
    (
        "noc",
        "alarmas norte vs sur",
        "get_active_alarms get_active_alarms",
        &["en zona norte", "en zona sur"],
    ),
    (
        "noc",
        "tareas cerradas y canceladas",
        "search_tasks search_tasks",
        &["1200 tareas cerradas", "89 tareas canceladas"],
    ),
    // What nobody of ours is called.
    (
        "noc",
        "tareas zona oriente",
        "",
        &["No reconozco la zona «oriente»", "tareas zona norte"],
    ),
    (
        "noc",
        "tareas zona oriente / 1",
        "get_tasks_by_zone",
        &["45 tareas activas en zona norte"],
    ),
    ("noc", "tareas en madrid", "", &["No reconozco «madrid»"]),
    (
        "noc",
        "tareas en iqiuqe",
        "",
        &["No reconozco «iqiuqe»", "tareas en iquique"],
    ),
    (
        "noc",
        "tareas CU-AN-99",
        "quick_lookup",
        &["No existe la cuadrilla CU-AN-99"],
    ),
    ("noc", "tareas de E-999", "quick_lookup", &["E-999"]),
    ("noc", "tareas en la octava region", "search_tasks", &["en Biobío"]),
    // Whose.
    (
        "E-022",
        "cuantas tareas tengo",
        "get_my_tasks",
        &["Tienes 5 tareas activas"],
    ),
    (
        "E-022",
        "cual es mi tarea mas urgente",
        "get_my_tasks",
        &["Tienes 5 tareas activas"],
    ),
    (
        "E-022",
        "las tareas de mi zona",
        "get_tasks_by_zone",
        &["45 tareas activas en zona norte"],
    ),
    (
        "E-001",
        "mis tareas criticas",
        "search_tasks",
        &["4 tareas críticas activas de Jorge Martínez", "!quién pregunta"],
    ),
    ("E-001", "mis tareas estancadas", "get_my_tasks", &["estancadas", "!59"]),
    // Greetings around a question.
    (
        "E-022",
        "Estimados buenos dias, me pueden indicar el estado del sitio 2 por favor muchas gracias",
        "quick_site_status",
        &["SITE-002"],
    ),
    ("E-022", "wena relevo mis pegas pa hoy", "get_my_tasks", &["Tienes 5"]),
    // Several questions: each with its own, none told twice.
    (
        "noc",
        "estado tarea T-10005 y alarmas del sitio 1",
        "get_task_status get_site_alarms",
        &["T-10005", "A-50001", "!Ojo"],
    ),
    (
        "noc",
        "acceso y alarmas y tareas del sitio 1",
        "get_site_access get_site_alarms get_tasks_by_site",
        &["A-50001", "T-10004"],
    ),
    (
        "noc",
        "dime de la tarea 10005 y del sitio 3",
        "get_task_status quick_site_status",
        &["T-10005", "SITE-003"],
    ),
    (
        "noc",
        "toy en el sitio 2 y no me abren",
        "get_site_access",
        &["SITE-002"],
    ),
    // Follow-ups.
    (
        "noc",
        "tareas de jorge martinez / las vencidas",
        "search_tasks",
        &["de Jorge Martínez", "plazo vencido"],
    ),
    (
        "noc",
        "tareas de martinez / 2 / y cuantas son",
        "get_tasks_by_manager",
        &["29 tareas activas", "!T-1"],
    ),
    (
        "noc",
        "ayuda / tareas estancadas",
        "get_stalled_tasks",
        &["59 tareas estancadas"],
    ),
    (
        "noc",
        "estado del sitio 1 y del 2",
        "quick_site_status quick_site_status",
        &["SITE-001", "SITE-002"],
    ),
    (
        "noc",
        "tareas del sitio 1 y alarmas del sitio 2",
        "get_tasks_by_site get_site_alarms",
        &["3 tareas activas en SITE-001", "SITE-002 Torre Arica: 1 alarma"],
    ),
    (
        "noc",
        "tareas del sitio 1 y del sitio 2",
        "get_tasks_by_site get_tasks_by_site",
        &["SITE-001", "SITE-002"],
    ),
    // A site, a place or a number given in answer, or left to the conversation.
    ("noc", "acceso / antofagasta", "", &["puede ser", "SITE-001"]),
    (
        "noc",
        "distancia al sitio 2 / sitio 1",
        "get_distance_to_site",
        &["576.1 km"],
    ),
    ("noc", "acceso 6", "", &["1. Acceso al sitio SITE-006"]),
    ("noc", "torre 1", "", &["¿1 qué?", "SITE-001"]),
    ("noc", "tareas del sitio", "", &["¿De qué sitio?"]),
    (
        "noc",
        "estado sitio 2 / tareas de ese sitio",
        "get_tasks_by_site",
        &["SITE-002"],
    ),
    (
        "noc",
        "A-50116 / tareas de ese sitio",
        "get_tasks_by_site",
        &["SITE-145"],
    ),
    (
        "noc",
        "T-10010 / quien es el gestor",
        "get_task_status",
        &["Jorge Martínez"],
    ),
    (
        "noc",
        "tareas de paula / paula perez",
        "search_tasks",
        &["Paula Pérez no figura"],
    ),
    (
        "noc",
        "tareas zona oriente / norte",
        "get_tasks_by_zone",
        &["45 tareas activas en zona norte"],
    ),
    // Times that are none, and a time alone.
    (
        "noc",
        "tareas cerradas el año pasado",
        "search_tasks",
        &["del 01/01 al 31/12"],
    ),
    (
        "noc",
        "tareas cerradas en la quincena pasada",
        "search_tasks",
        &["acotar por fecha"],
    ),
    (
        "noc",
        "tareas cerradas la primera semana de noviembre",
        "search_tasks",
        &["acotar por fecha"],
    ),
    ("noc", "kpis / ultimos 30 dias", "get_kpi_summary", &["últimos 30 días"]),
    (
        "noc",
        "indicadores zona sur / y todo el pais",
        "get_kpi_summary",
        &["Toda la red"],
    ),
    (
        "noc",
        "sitios caidos / en zona sur / y degradados",
        "search_sites",
        &["sitios degradados en zona sur"],
    ),
    (
        "noc",
        "necesito saber urgente el estado del SITE-001 porfa",
        "quick_site_status",
        &["SITE-001"],
    ),
    // Another thing than tasks is not answered with tasks.
    ("noc", "accesos pendientes", "", &["!240 tareas"]),
    ("noc", "sitios sin acceso", "search_sites", &["acotar por acceso"]),
    ("noc", "mttr correctivas", "get_mttr", &["correctivas"]),
    ("noc", "alarmas cerradas", "get_active_alarms", &["acotar por estado"]),
    (
        "noc",
        "tareas de la cuadrilla norte",
        "get_tasks_by_zone",
        &["acotar por cuadrilla"],
    ),
    (
        "noc",
        "que tareas hay pendientes para hoy en el norte",
        "search_tasks",
        &["fecha de vencimiento"],
    ),
    ("noc", "quien tiene mas tareas", "count_tasks", &["por gestor"]),
    (
        "noc",
        "gestor con mas tareas criticas",
        "count_tasks",
        &["42 tareas críticas activas, por gestor"],
    ),
    (
        "noc",
        "que sitio tiene mas alarmas",
        "get_active_alarms",
        &["no lo puedo desglosar"],
    ),
    ("noc", "acceso a colchane", "get_site_access", &["SITE-110"]),
    ("noc", "estado de colchane", "quick_site_status", &["SITE-110"]),
    ("noc", "repetidores en el sur", "search_sites", &["tipo repetidor"]),
    ("noc", "alarmas chiloe", "", &["No reconozco «chiloe»"]),
    (
        "noc",
        "tareas vencidas",
        "get_sla_breaches",
        &["84 tareas en breach de SLA", "77 activas vencidas"],
    ),
    (
        "noc",
        "tareas sin movimiento hace 3 dias",
        "get_aging_tasks",
        &["sin movimiento hace más de 72 h"],
    ),
    (
        "noc",
        "tareas sin asignar zona norte",
        "get_unassigned_tasks",
        &["4 tareas activas sin gestor"],
    ),
    (
        "noc",
        "tareas escaladas nivel 2",
        "get_escalations",
        &["7 tareas escaladas a nivel 2"],
    ),
    (
        "noc",
        "cuantas preventivas cerradas este mes",
        "count_tasks",
        &["86 tareas preventivas cerradas"],
    ),
    ("noc", "la tarea mas antigua", "search_tasks", &["T-10615"]),
    ("noc", "estado de zona sur", "get_network_health", &["Zona sur"]),
    (
        "noc",
        "sitios 1 2 y 3",
        "quick_site_status quick_site_status quick_site_status",
        &["SITE-003"],
    ),
    // What there is none of is named.
    (
        "noc",
        "sitios caidos en arica",
        "search_sites",
        &["No hay sitios caídos en Arica"],
    ),
    ("noc", "sitios caidos", "search_sites", &["10 sitios caídos"]),
];

/// The beginning of a reply.
fn brief(reply: &Reply) -> String {
    reply
        .text
        .lines()
        .filter(|line| !line.is_empty())
        .take(4)
        .collect::<Vec<_>>()
        .join(" | ")
}

#[test]
fn what_people_type_in_the_field_is_answered_or_asked_back_and_nothing_is_passed_over() {
    let engine = engine();
    let mut wrong = Vec::new();
    for (who, typed, tools, held) in ROWS {
        let mut talk = match *who {
            "noc" => Talk::new(&engine),
            id => Talk::of(&engine, id),
        };
        let reply = typed.split(" / ").map(|text| talk.ask(text)).last().unwrap();
        let called: Vec<&str> = reply.trace.tool_calls.iter().map(|call| call.tool.as_str()).collect();
        if called.join(" ") != *tools {
            wrong.push(format!("{typed}: called {called:?}, not {tools}: {}", brief(&reply)));
        }
        for text in *held {
            let fits = match text.strip_prefix('!') {
                Some(absent) => !reply.full.contains(absent),
                None => reply.full.contains(text),
            };
            if !fits {
                wrong.push(format!("{typed}: {text} in {}", brief(&reply)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_a_list_was_not_kept_to_stands_on_its_first_page() {
    let engine = engine();
    for text in [
        "estancadas hace mas de 5 dias",
        "alarmas criticas de ayer",
        "tareas criticas del sitio 1 vencidas",
    ] {
        let reply = Talk::new(&engine).ask(text);
        assert!(reply.text.contains("no lo puedo acotar"), "{text}: {}", reply.text);
    }
}

#[test]
fn a_part_of_a_compound_answer_is_headed_once() {
    let engine = engine();
    let reply = Talk::new(&engine).ask("tareas criticas y alarmas criticas del sitio 1");
    for heading in ["3 tareas críticas activas en SITE-001", "1 alarma crítica activa"] {
        assert_eq!(reply.text.matches(heading).count(), 1, "{}", reply.text);
    }
}
