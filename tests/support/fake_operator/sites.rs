//! Sites: `Authorization: Token …`, pages by `next`, an unknown filter is ignored, a bad token is 403, a path without
//! its last slash redirects.

use serde_json::{Value, json};

use super::{Mood, SITES_KEY, State, number, param};
use crate::support::fake_twilio::wire::{Answer, Asked};

pub fn sites() -> Vec<Value> {
    (1..=10)
        .map(|id: u64| {
            let seconds = if id == 2 { json!(i64::MAX) } else { json!(14_400) };
            json!({
                "id": 900 + id, "name": format!("SITE-{id:03} Cerro {id}"), "tenant": {"slug": "movil"},
                "region": {"slug": "norte", "name": "Antofagasta"}, "physical_address": "Camino s/n",
                "latitude": -23.0 - id as f64 / 10.0, "longitude": -70.4, "tags": [{"name": "4G"}, {"name": "5G"}],
                "status": {"value": "active"}, "last_updated": "2026-11-01T10:00:00Z",
                "custom_fields": {"comuna": "Antofagasta", "tipo": "Torre", "criticidad": "high", "acceso": "llave",
                    "autonomia_s": seconds, "ultima_visita": if id == 2 { json!("0001-01-01T00:00:00Z") } else { json!("2026-11-20T12:00:00Z") }},
            })
        })
        .collect()
}

pub fn answer(state: &State, mood: Mood, base: &str, asked: &Asked) -> Answer {
    if asked.header("Authorization") != Some(&format!("Token {SITES_KEY}")) {
        return Answer::json(403, &json!({"detail": "Invalid token"}));
    }
    if asked.path() != "/api/dcim/sites/" {
        return Answer::json(301, &json!({}));
    }
    let mut rows = state.sites.clone();
    if mood == Mood::Lie {
        // The whole table of every tenant.
        for id in 0..30 {
            let mut other = state.sites[0].clone();
            other["name"] = json!(format!("SITE-{:03} Ajeno", 500 + id));
            other["tenant"]["slug"] = json!("fijo");
            rows.push(other);
        }
    }
    let (offset, limit) = (number(asked, "offset", 0), number(asked, "limit", 50).min(4));
    let shown: Vec<&Value> = rows.iter().skip(offset).take(limit).collect();
    let base = if mood == Mood::Astray {
        "http://127.0.0.1:9"
    } else {
        base
    };
    let tenant = param(asked, "tenant").unwrap_or_default();
    let next = (offset + limit < rows.len()).then(|| {
        format!(
            "{base}/api/dcim/sites/?tenant={tenant}&limit={limit}&offset={}",
            offset + limit
        )
    });
    Answer::json(
        200,
        &json!({"count": rows.len(), "next": next, "previous": null, "results": shown}),
    )
}
