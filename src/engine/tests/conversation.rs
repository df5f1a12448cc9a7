//! What is said leans on what was said before.

use super::*;

#[test]
fn what_does_not_exist_is_said_with_the_nearest_and_never_guessed() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    let reply = talk.ask("estado sitio 999");
    assert!(!reply.trace.tool_calls[0].ok);
    assert!(
        reply.text.contains("SITE-999") && reply.text.contains("SITE-099"),
        "{}",
        reply.text
    );
    assert_eq!(params(&talk.ask("1"), "quick_site_status")["site_id"], "SITE-099");
    let reply = Talk::new(&engine).ask("T-99999");
    assert!(reply.text.contains("T-99999") && !reply.trace.tool_calls[0].ok);
}

#[test]
fn a_bare_number_is_never_silently_a_site() {
    let engine = engine();
    for text in ["2", "el 2", "no, del 2", "y la 2?"] {
        let reply = Talk::new(&engine).ask(text);
        assert_eq!(called(&reply), "", "{text}");
        assert!(reply.text.contains("¿2 qué?"), "{text}: {}", reply.text);
    }
    // As the answer to our own question it is one, and the reply names it.
    let mut talk = Talk::new(&engine);
    assert!(talk.ask("acceso").text.contains("sitio"));
    assert_eq!(params(&talk.ask("2"), "get_site_access")["site_id"], "SITE-002");
}

#[test]
fn namesakes_are_listed_and_chosen_by_number() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    let reply = talk.ask("tareas del gestor Martínez");
    assert!(
        reply.text.contains("Jorge Martínez") && reply.text.contains("Óscar Martínez"),
        "{}",
        reply.text
    );
    assert_eq!(
        params(&talk.ask("la segunda"), "get_tasks_by_manager")["manager"],
        "E-010"
    );
    let mut talk = Talk::new(&engine);
    assert!(talk.ask("estado sitio arica").text.contains("SITE-158"));
    assert_eq!(params(&talk.ask("1"), "quick_site_status")["site_id"], "SITE-002");
}

#[test]
fn a_question_goes_on_from_the_last() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    talk.ask("tareas criticas zona norte");
    let south = params(&talk.ask("¿y las de zona sur?"), "get_tasks_by_zone");
    assert_eq!(
        (&south["zone"], &south["criticality"]),
        (&json!("sur"), &json!("critical"))
    );
    let closed = params(&talk.ask("y las cerradas"), "get_tasks_by_zone");
    assert_eq!((&closed["zone"], &closed["status"]), (&json!("sur"), &json!("closed")));
    talk.ask("alarmas sitio 1");
    assert_eq!(
        params(&talk.ask("no, del SITE-002"), "get_site_alarms")["site_id"],
        "SITE-002"
    );
    talk.ask("resumen de tareas críticas estancadas en zona norte");
    let summary = talk.ask("y en zona sur");
    assert_eq!(summary.trace.tool_calls.len(), 3);
    assert!(summary.trace.tool_calls.iter().all(|call| call.params["zone"] == "sur"));
    talk.ask("alarmas criticas");
    assert_eq!(
        params(&talk.ask("y las mayores?"), "get_active_alarms")["severity"],
        "major"
    );
}

#[test]
fn list_positions_and_the_subject_are_understood() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    talk.ask("tareas del sitio 1");
    assert_eq!(
        params(&talk.ask("la tercera"), "get_field_task_details")["task_id"],
        "T-10008"
    );
    assert_eq!(
        params(&talk.ask("quién la tiene"), "get_task_status")["task_id"],
        "T-10008"
    );
    assert_eq!(
        params(&talk.ask("y el acceso?"), "get_site_access")["site_id"],
        "SITE-001"
    );
    talk.ask("tareas del sitio 1");
    assert_eq!(
        params(&talk.ask("dame detalles de la 2"), "get_field_task_details")["task_id"],
        "T-10001"
    );
    talk.ask("tareas del sitio 1");
    assert!(talk.ask("la novena").text.contains("3 elementos"));
    talk.ask("estado sitio 2");
    assert_eq!(
        params(&talk.ask("y las alarmas?"), "get_site_alarms")["site_id"],
        "SITE-002"
    );
}

#[test]
fn more_brings_every_row_once_and_then_what_lies_beyond() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    let mut seen = Vec::new();
    let id = regex::Regex::new(r"T-[0-9]{5}").unwrap();
    let mut reply = talk.ask("todas las tareas cerradas zona norte");
    for _ in 0..60 {
        seen.extend(id.find_iter(&reply.text).map(|m| m.as_str().to_owned()));
        reply = talk.ask("MÁS");
        if !reply.text.contains("T-1") {
            break;
        }
    }
    let all = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!((all, seen.len()), (230, 230));
    assert!(reply.text.contains("No hay más"));
}

#[test]
fn a_reply_to_an_earlier_message_is_about_its_subject() {
    let engine = engine();
    let about = |subject: &str, text: &str| Turn {
        subject: Some(subject.to_owned()),
        ..Turn::text(Caller::Desk, Channel::WhatsApp, text)
    };
    let mut talk = Talk::new(&engine);
    talk.ask("estado sitio 5");
    let reply = talk.send(about("SITE-002 Torre Arica\n3 tareas activas", "alarmas"));
    assert_eq!(params(&reply, "get_site_alarms")["site_id"], "SITE-002");
    let list = "*3 tareas*\n\n1. T-10004 Caída, SITE-001\n   crítica\n\n2. T-10001 Alta, SITE-001";
    assert_eq!(
        params(&talk.send(about(list, "la 2")), "get_field_task_details")["task_id"],
        "T-10001"
    );
    assert_eq!(
        params(&talk.send(about("T-10001", "quien la tiene")), "get_task_status")["task_id"],
        "T-10001"
    );
}
