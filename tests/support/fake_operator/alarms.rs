//! Alarms: bearer token, cursors, every number a text, `"0"` for an instant that is none, no total.

use serde_json::{Value, json};

use super::{ALARMS_KEY, Mood, State, number, param};
use crate::support::fake_twilio::wire::{Answer, Asked};

pub fn alarms() -> Vec<Value> {
    (1..=8)
        .map(|id: u64| {
            json!({
                "eventid": id.to_string(), "name": format!("Alarma de prueba {id}"), "severity": if id == 1 { "5" } else { "3" },
                "object": format!("ENB-{id}"), "clock": "1796040000", "changed": "1796040000",
                "r_clock": if id > 6 { "1796050000" } else { "0" }, "acknowledged": "0",
                "tags": [{"tag": "site_id", "value": format!("SITE-{id:03}")}, {"tag": "class", "value": "energía"}],
            })
        })
        .collect()
}

pub fn answer(state: &State, mood: Mood, asked: &Asked) -> Answer {
    if asked.header("Authorization") != Some(&format!("Bearer {ALARMS_KEY}")) {
        return Answer::json(401, &json!({"error": {"code": "unauthorized"}}));
    }
    let from: i64 = param(asked, "changed_from").map_or(0, |v| v.parse().unwrap());
    let changed = |alarm: &&Value| alarm["changed"].as_str().unwrap().parse::<i64>().unwrap() >= from;
    let rows: Vec<&Value> = match mood {
        Mood::Empty => vec![],
        // It takes no notice of the time asked for.
        Mood::Lie => state.alarms.iter().collect(),
        _ => state.alarms.iter().filter(changed).collect(),
    };
    let (start, size) = (number(asked, "after", 0), number(asked, "size", 5).min(5));
    let shown: Vec<&Value> = rows.iter().skip(start).take(size).copied().collect();
    let after = (start + size < rows.len()).then(|| (start + size).to_string());
    Answer::json(200, &json!({"data": shown, "paging": {"after": after}}))
}
