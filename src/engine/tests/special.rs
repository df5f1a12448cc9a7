//! What rules decide before any ranking, over several turns.

use super::*;

#[test]
fn why_an_answer_says_what_it_says_is_told_with_tool_system_and_age() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    let nothing = talk.ask("¿por qué dices eso?");
    assert!(nothing.text.contains("Todavía no"), "{}", nothing.text);
    talk.ask("tareas estancadas zona norte");
    let why = talk.ask("¿por qué dices eso?");
    for said in ["get_stalled_tasks", "zone = norte", "Sistema Tareas: datos de hace"] {
        assert!(why.full.contains(said), "{said}: {}", why.full);
    }
    // What was talked about is still talked about.
    let south = talk.ask("¿y las de zona sur?");
    assert_eq!(params(&south, "get_stalled_tasks")["zone"], "sur");
}

#[test]
fn fewer_rows_are_the_last_list_cut_shorter() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    talk.ask("tareas criticas zona norte");
    let fewer = talk.ask("solo 5");
    assert_eq!(fewer.answer.items.len(), 5, "{}", fewer.text);
    assert_eq!(fewer.trace.tool_calls[0].params["zone"], "norte");
}

#[test]
fn the_figures_of_one_manager_are_theirs_alone() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    let one = talk.ask("mttr de ximena rojas");
    assert_eq!(one.answer.items.len(), 1, "{}", one.text);
    assert!(one.full.contains("Ximena Rojas"));
    let two = talk.ask("compara a ximena rojas con jorge martinez");
    assert_eq!(two.answer.items.len(), 2, "{}", two.text);
    // Two managers share the surname: it is asked which.
    let which = talk.ask("mttr de martinez");
    assert!(which.trace.tool_calls.is_empty(), "{}", which.text);
    assert!(which.text.contains("Jorge Martínez") && which.text.contains("Óscar Martínez"));
    let chosen = talk.ask("la segunda");
    assert!(
        chosen.full.contains("Óscar Martínez") && !chosen.full.contains("Jorge"),
        "{}",
        chosen.full
    );
}

#[test]
fn either_of_two_conditions_is_two_lists() {
    let engine = engine();
    let reply = Talk::new(&engine).ask("tareas criticas o con mas de 48 horas");
    assert_eq!(reply.trace.tool_calls.len(), 2, "{}: {}", called(&reply), reply.text);
}

#[test]
fn peoples_data_is_no_answer_for_somebody_unknown() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    let many = talk.ask("correo de todos los gestores");
    assert!(many.text.contains("una persona a la vez"), "{}", many.text);
    talk.caller = Caller::Guest;
    let reply = talk.ask("telefono de paula");
    assert!(reply.trace.tool_calls.is_empty());
    assert!(reply.text.contains("sólo a números registrados"), "{}", reply.text);
}

#[test]
fn a_supervisor_leads_no_tasks_and_that_is_said() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    let reply = talk.ask("tareas de Andrea Rivera");
    assert!(reply.text.contains("no lleva tareas"), "{}", reply.text);
    let crews = talk.ask("cuadrilla");
    assert!(called(&crews).starts_with("get_crew_status"), "{}", crews.text);
}
