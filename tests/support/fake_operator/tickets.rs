//! Tickets: `X-Redmine-API-Key`, offset paging, at most 100 a page, a wrong key is an anonymous reader.

use serde_json::{Value, json};

use super::{Mood, State, TICKETS_KEY, number, param};
use crate::support::fake_twilio::wire::{Answer, Asked};

const STATUSES: [&str; 6] = ["Nueva", "En curso", "Detenida", "En espera", "Cerrada", "Rechazada"];

/// 120 issues of ten sites: two pages.
pub fn issues() -> Vec<Value> {
    (1..=120)
        .map(|id: u64| {
            let status = if id <= 4 {
                0
            } else {
                [4, 4, 0, 1, 2, 4][(id % 6) as usize]
            };
            let priority = if id <= 2 {
                "Inmediata"
            } else {
                ["Normal", "Alta", "Baja"][(id % 3) as usize]
            };
            json!({
                "id": id, "project": {"id": 7, "name": "Red"}, "tracker": {"id": 1, "name": "Correctivo"},
                "subject": format!("Falla de prueba {id}"), "description": "",
                "status": {"id": status + 1, "name": STATUSES[status]}, "priority": {"id": 2, "name": priority},
                "created_on": "2026-11-29T10:00:00Z", "updated_on": "2026-11-30T10:00:00Z",
                "closed_on": if status == 4 { json!("2026-11-30T10:00:00Z") } else { Value::Null },
                "custom_fields": [
                    {"id": 1, "name": "Sitio", "value": format!("SITE-{:03}", id % 10 + 1)},
                    {"id": 2, "name": "Gestor", "value": "E-001"},
                    {"id": 3, "name": "Técnico", "value": if id <= 4 { "E-022" } else { "" }},
                    {"id": 4, "name": "Vence", "value": "2026-12-02T10:00:00Z"},
                    {"id": 5, "name": "Escalamiento", "value": "0"},
                    {"id": 9, "name": "Orden", "value": ""},
                ],
            })
        })
        .collect()
}

pub fn users() -> Vec<Value> {
    [
        ("E-001", "Ximena", "Rojas", "Supervisor", "+56980000001"),
        ("E-022", "Hernán", "Araya", "Técnico", "+56980000022"),
    ]
    .iter()
    .enumerate()
    .map(|(at, (id, first, last, role, phone))| {
        json!({
            "id": at + 1, "firstname": first, "lastname": last, "mail": "", "status": 1,
            "custom_fields": [{"id": 1, "name": "Legajo", "value": id}, {"id": 2, "name": "Rol", "value": role}, {"id": 3, "name": "Teléfono", "value": phone}],
        })
    })
    .collect()
}

pub fn answer(state: &mut State, mood: Mood, asked: &Asked) -> Answer {
    let known = asked.header("X-Redmine-API-Key") == Some(TICKETS_KEY);
    let path = asked.path().to_owned();
    if path == "/users/current.json" {
        return match known {
            true => Answer::json(200, &json!({"user": {"id": 1, "login": "relevo"}})),
            false => Answer::json(401, &json!({})),
        };
    }
    if !known && asked.method != "GET" {
        return Answer::json(401, &json!({}));
    }
    if !known {
        // Anonymous: public projects hold nothing, and that is no error.
        return Answer::json(
            200,
            &json!({"issues": [], "users": [], "total_count": 0, "offset": 0, "limit": 25}),
        );
    }
    let id: Option<u64> = path
        .strip_prefix("/issues/")
        .and_then(|p| p.strip_suffix(".json"))
        .map(|p| p.parse().unwrap());
    match (asked.method.as_str(), path.as_str(), id) {
        ("GET", "/users.json", _) => page(&state.users, "users", mood, asked),
        ("GET", "/issues.json", _) => list(state, mood, asked),
        ("GET", _, Some(id)) => match state.issues.iter().find(|issue| issue["id"] == id) {
            Some(issue) => {
                let mut issue = issue.clone();
                issue["journals"] = json!(state.journals.get(&id).cloned().unwrap_or_default());
                Answer::json(200, &json!({"issue": issue}))
            }
            None => Answer::json(404, &json!({})),
        },
        ("PUT", _, Some(id)) => {
            let wanted: Value = serde_json::from_slice(&asked.body).unwrap();
            if mood != Mood::Swallow {
                change(state, id, &wanted["issue"]);
            }
            after(
                mood,
                Answer::Whole {
                    status: 204,
                    headers: vec![],
                    body: vec![],
                },
            )
        }
        ("POST", "/issues.json", _) => {
            let wanted: Value = serde_json::from_slice(&asked.body).unwrap();
            let wanted = &wanted["issue"];
            state.done += 1;
            let id = state.issues.len() as u64 + 1;
            let mut issue = issues().remove(0);
            issue["id"] = json!(id);
            issue["subject"] = wanted["subject"].clone();
            issue["priority"]["name"] = json!(
                ["", "Baja", "Normal", "Alta", "Urgente", "Inmediata"]
                    [wanted["priority_id"].as_u64().unwrap() as usize]
            );
            issue["created_on"] = json!(state.now);
            issue["updated_on"] = json!(state.now);
            custom(&mut issue, &wanted["custom_fields"]);
            state.issues.push(issue.clone());
            after(mood, Answer::json(201, &json!({"issue": issue})))
        }
        _ => Answer::json(404, &json!({})),
    }
}

fn after(mood: Mood, answer: Answer) -> Answer {
    if mood == Mood::LoseAnswers {
        Answer::Reset
    } else {
        answer
    }
}

fn change(state: &mut State, id: u64, wanted: &Value) {
    state.done += 1;
    let now = state.now.clone();
    let issue = state.issues.iter_mut().find(|issue| issue["id"] == id).unwrap();
    if let Some(status) = wanted["status_id"].as_u64() {
        issue["status"] = json!({"id": status, "name": STATUSES[status as usize - 1]});
        if status == 5 {
            issue["closed_on"] = json!(now);
        }
    }
    issue["updated_on"] = json!(now);
    custom(issue, &wanted["custom_fields"]);
    if let Some(notes) = wanted["notes"].as_str() {
        state
            .journals
            .entry(id)
            .or_default()
            .push(json!({"notes": notes, "created_on": now}));
    }
}

fn custom(issue: &mut Value, wanted: &Value) {
    for field in wanted.as_array().into_iter().flatten() {
        for held in issue["custom_fields"].as_array_mut().unwrap() {
            if held["id"] == field["id"] {
                held["value"] = field["value"].clone();
            }
        }
    }
}

fn list(state: &State, mood: Mood, asked: &Asked) -> Answer {
    let since = param(asked, "updated_on").map(|v| v.trim_start_matches(">=").to_owned());
    let order = param(asked, "cf_9");
    let mut rows: Vec<Value> = state
        .issues
        .iter()
        .filter(|issue| {
            since
                .as_ref()
                .is_none_or(|since| issue["updated_on"].as_str().unwrap() >= since.as_str())
        })
        .filter(|issue| {
            order
                .as_ref()
                .is_none_or(|order| issue["custom_fields"][5]["value"] == *order)
        })
        .cloned()
        .collect();
    if mood == Mood::Lie {
        for (at, row) in rows.iter_mut().enumerate() {
            if at % 3 != 0 {
                row["project"]["id"] = json!(99);
            }
        }
    }
    page(&rows, "issues", mood, asked)
}

fn page(rows: &[Value], name: &str, mood: Mood, asked: &Asked) -> Answer {
    let (offset, limit) = (number(asked, "offset", 0), number(asked, "limit", 25).min(100));
    let offset = if mood == Mood::Circle { 0 } else { offset };
    let rows = if mood == Mood::Empty { &[] } else { rows };
    let shown: Vec<&Value> = rows.iter().skip(offset).take(limit).collect();
    let total = if mood == Mood::Empty {
        Value::Null
    } else {
        json!(rows.len())
    };
    Answer::json(
        200,
        &json!({name: shown, "total_count": total, "offset": offset, "limit": limit}),
    )
}
