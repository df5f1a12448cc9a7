//! The cases of the specification, and what it says in words.

use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const CASES: &str = include_str!("cases.jsonl");

fn now() -> jiff::Timestamp {
    "2026-11-30T15:00:00Z".parse().unwrap()
}

fn zones() -> Vec<TimeZone> {
    vec![TimeZone::get("America/Santiago").unwrap()]
}

fn evidence(tools: &[(&str, Value, Value)], question: &str, labels: &[FieldLabels]) -> Evidence {
    let calls: Vec<CallFacts<'_>> = tools
        .iter()
        .map(|(tool, input, result)| CallFacts {
            tool,
            input,
            result,
            ok: true,
            executed: false,
            labels,
        })
        .collect();
    Evidence::of(&calls, question, now(), &zones())
}

fn bad(answer: &str, evidence: &Evidence) -> Vec<String> {
    check(answer, evidence).unsupported().map(|c| c.text.clone()).collect()
}

#[test]
fn every_case_of_the_specification_is_judged_as_it_says() {
    let mut wrong = Vec::new();
    let mut cases = 0;
    for line in CASES.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        cases += 1;
        let calls: Vec<CallFacts<'_>> = case["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| CallFacts {
                tool: call["tool"].as_str().unwrap(),
                input: &call["input"],
                result: &call["result"],
                ok: true,
                executed: false,
                labels: &[],
            })
            .collect();
        let evidence = Evidence::of(&calls, case["user"].as_str().unwrap_or_default(), now(), &zones());
        let report = check(case["answer"].as_str().unwrap(), &evidence);
        let unsupported: Vec<String> = report.unsupported().map(|c| folded::fold(&c.text)).collect();
        let expected = case["expect"] == "unsupported";
        let flags = case["flag"].as_array().unwrap();
        let flagged = flags.iter().all(|flag| {
            let flag = folded::fold(flag.as_str().unwrap());
            unsupported.iter().any(|text| text.contains(&flag))
        });
        if expected == unsupported.is_empty() || !flagged {
            wrong.push(format!("{}: {:?}", case["id"], report.claims));
        }
    }
    assert!(cases >= 45);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_was_not_done_may_not_be_said_to_be_done() {
    let none = evidence(&[], "cierra la T-10001", &[]);
    for text in [
        "Cerré la tarea T-10001.",
        "Listo, quedó registrado.",
        "Envié el correo a la cuadrilla.",
        "✅ Confirmado",
        "He creado la tarea.",
        "La tarea quedó cerrada.",
    ] {
        let report = check(text, &none);
        assert!(report.unsupported().any(|c| c.kind == Kind::Action), "{text}");
    }
    for text in [
        "Voy a cerrar la tarea T-10001.",
        "Vista previa: cerrar T-10001",
        "Envíe una foto, por favor.",
    ] {
        assert!(check(text, &none).holds(), "{text}");
    }
    let input = json!({"task_id": "T-10001"});
    let result = json!({"task_id": "T-10001", "status": "closed"});
    let done = |executed| {
        let call = CallFacts {
            tool: "update_task_status",
            input: &input,
            result: &result,
            ok: true,
            executed,
            labels: &[],
        };
        check("Cerré la tarea T-10001.", &Evidence::of(&[call], "", now(), &zones())).holds()
    };
    assert!(done(true) && !done(false));
}

#[test]
fn a_figure_is_bound_to_the_word_of_its_schema() {
    let labels = [
        FieldLabels {
            path: "down".into(),
            labels: vec!["caidos".into()],
        },
        FieldLabels {
            path: "degraded".into(),
            labels: vec!["degradados".into()],
        },
    ];
    let result = [("get_network_health", json!({}), json!({"down": 10, "degraded": 20}))];
    let evidence = evidence(&result, "", &labels);
    assert!(check("10 sitios caídos y 20 degradados", &evidence).holds());
    assert_eq!(bad("20 sitios caídos", &evidence), ["20 sitios caídos"]);
}

#[test]
fn mttr_and_compliance_are_bound_to_their_own_figure() {
    let result = [(
        "get_kpi_summary",
        json!({"period": "7d"}),
        json!({"mttr": 4.2, "compliance": 0.9, "closed": 31}),
    )];
    let evidence = evidence(&result, "", &[]);
    assert!(check("MTTR últimos 7 días: 4.2 h", &evidence).holds());
    assert_eq!(bad("MTTR: 31 h", &evidence).len(), 1);
}

#[test]
fn among_many_rows_a_figure_counts_only_beside_its_row() {
    let rows: Vec<Value> = (0..30)
        .map(|n| json!({"id": format!("T-{}", 10_000 + n), "age_h": n + 20}))
        .collect();
    let result = [("search_tasks", json!({}), json!({"rows": rows, "total": 30}))];
    let evidence = evidence(&result, "", &[]);
    assert!(check("1. T-10005 lleva 25 h", &evidence).holds());
    assert!(!check("1. T-10005 lleva 26 h", &evidence).holds());
    assert!(!check("Hay 27 registros", &evidence).holds());
    assert!(check("Hay 30 registros; la más antigua lleva 49 h", &evidence).holds());
}

#[test]
fn an_error_proves_nothing() {
    let (input, result) = (json!({}), json!({"error": "no task T-99999", "count": 12}));
    let call = CallFacts {
        tool: "get_task_status",
        input: &input,
        result: &result,
        ok: false,
        executed: false,
        labels: &[],
    };
    let evidence = Evidence::of(&[call], "", now(), &zones());
    assert!(check("No encontré T-99999.", &evidence).holds());
    assert!(!check("Hay 13 tareas.", &evidence).holds());
}

#[test]
fn what_is_unsupported_is_dropped_by_sentences_and_the_rest_stands() {
    let evidence = evidence(&[("count_tasks", json!({}), json!({"count": 12}))], "", &[]);
    let text = "Hay 12 tareas. El cumplimiento es 97%. ¿Algo más?";
    let report = check(text, &evidence);
    assert_eq!(
        drop_offending(text, &report).as_deref(),
        Some("Hay 12 tareas. ¿Algo más?")
    );
    let text = "El cumplimiento es 97%.";
    assert_eq!(drop_offending(text, &check(text, &evidence)), None);
}

proptest! {
    #[test]
    fn no_text_breaks_the_check_and_what_is_left_after_dropping_holds(text in "\\PC{0,120}", n in 0u32..2000) {
        let evidence = evidence(&[("count_tasks", json!({}), json!({"count": n}))], &text, &[]);
        let report = check(&text, &evidence);
        for claim in &report.claims {
            prop_assert!(text.get(claim.at.0..claim.at.1).is_some() || claim.kind == Kind::Action);
        }
        _ = drop_offending(&text, &report);
    }

    #[test]
    fn a_figure_that_nobody_gave_is_found(given in 0u32..500, said in 0u32..500) {
        prop_assume!(given != said && ![24, 48, 72, 0].contains(&said));
        let evidence = evidence(&[("count_tasks", json!({}), json!({"count": given}))], "", &[]);
        let wrong = format!("Hay {said} tareas.");
        prop_assert!(!check(&wrong, &evidence).holds());
        let right = format!("Hay {given} tareas.");
        prop_assert!(check(&right, &evidence).holds());
    }
}
