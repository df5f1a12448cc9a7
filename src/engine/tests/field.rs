//! What people in the field type, and what must not be passed over in it. Each row stands for a kind.

use super::*;

/// Rows of: who (an id or `noc`), what was typed (` / ` between turns), the tools called by the
/// last turn, and what its whole reply must hold (` | ` between; `!` before what it must not).
const ROWS: &str = include_str!("field.tsv");

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
    for row in ROWS.lines().filter(|row| !row.starts_with('#')) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [who, typed, tools, held] = cells.as_slice() else {
            panic!("four cells were expected: {row}")
        };
        let mut talk = match *who {
            "noc" => Talk::new(&engine),
            id => Talk::of(&engine, id),
        };
        let reply = typed.split(" / ").map(|text| talk.ask(text)).last().unwrap();
        let called: Vec<&str> = reply.trace.tool_calls.iter().map(|call| call.tool.as_str()).collect();
        if called.join(" ") != *tools {
            wrong.push(format!("{typed}: called {called:?}, not {tools}: {}", brief(&reply)));
        }
        for text in held.split(" | ") {
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
