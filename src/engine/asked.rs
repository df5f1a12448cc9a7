//! What else a question asks for, beside what it names: which figure, which measure, how long a
//! step, which rank, what equipment, and the account of an incident.

use serde_json::{Value, json};

use super::extract::Found;

/// A period longer than this is looked at by weeks, days.
const BY_WEEK_FROM_DAYS: u32 = 45;
/// The longest account of an incident handed to a tool, characters.
const INCIDENT_CHARS_MAX: usize = 2_000;

/// The value of an `x-entity` that stands in the words of a question.
pub fn of(entity: &str, found: &Found) -> Option<Value> {
    let any = |stems: &[&str]| {
        let mut words = found.figures.iter();
        words.any(|word| stems.iter().any(|stem| word.starts_with(stem)))
    };
    match entity {
        "hours" => found.entities.more.hours.map(|hours| json!(hours)),
        "level" => after(found, &["nivel"]).map(|n| json!(n)),
        "priority" => after(found, &["prioridad", "p"]).map(|n| json!(n)),
        "escalated" => escalated(found).map(|yes| json!(yes)),
        "trend_metric" => Some(json!(match () {
            () if any(&["cread", "nuev", "ingres", "entra", "created"]) => "created",
            () if any(&["cumpl", "sla", "plazo"]) => "sla_compliance",
            () if any(&["cerrad", "cierr", "closed"]) => "closed",
            () => "mttr",
        })),
        "bucket" => {
            let by_week = any(&["semana", "week"]) || days(found).is_some_and(|n| n > BY_WEEK_FROM_DAYS);
            Some(json!(if by_week { "week" } else { "day" }))
        }
        "metric" => METRICS
            .iter()
            .find(|(_, stems)| any(stems))
            .map(|(metric, _)| json!(metric)),
        "monitor_status" => Some(json!(match () {
            () if any(&["critic", "rojo"]) => "critical",
            () if any(&["adverten", "warning", "amarillo"]) => "warning",
            () if any(&["lectura"]) && any(&["sin"]) => "unknown",
            () if any(&["normal", "verde"]) => "ok",
            () => return None,
        })),
        "equipment" => EQUIPMENT
            .iter()
            .find(|(_, stem)| any(&[stem]))
            .map(|(name, _)| json!(name)),
        "service_name" => SERVICES
            .iter()
            .find(|(_, stems)| any(stems))
            .map(|(name, _)| json!(name)),
        "incident" => incident(found).map(|text| json!(text)),
        _ => None,
    }
}

/// What people call a measure, by the beginning of the monitors' own word.
const METRICS: [(&str, &[&str]); 5] = [
    ("latency", &["latencia", "ping"]),
    ("packet", &["perdida", "paquete"]),
    ("battery", &["voltaje", "bateria", "tension"]),
    ("temp", &["temperatura", "calor"]),
    ("availability", &["disponibilidad", "uptime"]),
];

/// What people call a service.
const SERVICES: [(&str, &[&str]); 9] = [
    ("email", &["correo", "mail", "email", "smtp"]),
    ("whatsapp", &["whatsapp", "wsp", "wasap", "twilio"]),
    ("model", &["modelo", "claude"]),
    ("tzzr", &["tzzr", "grace"]),
    ("panel", &["panel", "priorizacion"]),
    ("kpis", &["kpi", "indicador"]),
    ("network", &["alarma", "red", "monitor"]),
    ("field", &["cuadrilla", "terreno"]),
    ("tasks", &["tarea", "ticket"]),
];

/// What people call equipment, by the beginning that tells it.
const EQUIPMENT: [(&str, &str); 13] = [
    ("rectificador", "rectific"),
    ("batería", "bateri"),
    ("rru", "rru"),
    ("bbu", "bbu"),
    ("antena", "antena"),
    ("router", "router"),
    ("panel solar", "panel"),
    ("odf", "odf"),
    ("olt", "olt"),
    ("ups", "ups"),
    ("radio", "radio"),
    ("small cell", "small"),
    ("clima", "clima"),
];

/// The figure after one of these words: `nivel 2`, `prioridad 1`, `p1`.
fn after(found: &Found, words: &[&str]) -> Option<u32> {
    let figures = &found.figures;
    let beside = figures.windows(2).find_map(|pair| match pair {
        [word, figure] if words.contains(&word.as_str()) => figure.parse().ok(),
        _ => None,
    });
    beside.or_else(|| {
        figures.iter().find_map(|word| {
            let figure = words.iter().find_map(|w| word.strip_prefix(w))?;
            figure.parse().ok()
        })
    })
}

/// *escaladas*, but not *sin escalar* or *no escaladas*.
fn escalated(found: &Found) -> Option<bool> {
    let figures = &found.figures;
    let at = figures.iter().position(|word| word.starts_with("escala"))?;
    let before = at.checked_sub(1).and_then(|at| figures.get(at)).map(String::as_str);
    Some(!matches!(before, Some("sin" | "no")))
}

/// The days of a rolling period.
fn days(found: &Found) -> Option<u32> {
    let period = found.entities.more.period.as_deref()?;
    period.strip_suffix('d')?.parse().ok()
}

/// The account itself: what follows the request to classify it, if there is one.
fn incident(found: &Found) -> Option<String> {
    const REQUESTS: [&str; 14] = [
        "clasif",
        "tipif",
        "propon",
        "ayudame",
        "incidente",
        "falla",
        "averia",
        "caso",
        "este",
        "esta",
        "esto",
        "como",
        "que",
        "a",
    ];
    let text = found.rest.trim();
    let first = text
        .split_once(':')
        .map(|(_, told)| told.trim())
        .filter(|told| !told.is_empty());
    if let Some(told) = first {
        return Some(told.chars().take(INCIDENT_CHARS_MAX).collect());
    }
    // *clasifica este incidente* tells of none yet.
    let told = found.words.iter().any(|word| {
        let request = REQUESTS.iter().any(|stem| word.starts_with(stem));
        !request && !crate::planner::lexicon::is_common(word)
    });
    told.then(|| text.chars().take(INCIDENT_CHARS_MAX).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::features::{mask_figures, raw_words};

    fn asked(entity: &str, text: &str) -> Value {
        let figures = raw_words(text);
        let mut words = figures.clone();
        mask_figures(&mut words);
        let found = Found {
            words,
            figures,
            rest: text.to_owned(),
            ..Found::default()
        };
        of(entity, &found).unwrap_or(Value::Null)
    }

    #[test]
    fn what_is_asked_for_stands_in_the_words() {
        for (entity, text, value) in [
            ("level", "escaladas a nivel 2", json!(2)),
            ("priority", "panel de prioridad 1", json!(1)),
            ("priority", "las p1 del panel", json!(1)),
            ("priority", "prioridades del dia", json!(null)),
            ("escalated", "panel solo escaladas", json!(true)),
            ("escalated", "las del panel sin escalar", json!(false)),
            ("escalated", "filas del panel", json!(null)),
            ("trend_metric", "tendencia del mttr por semana", json!("mttr")),
            ("trend_metric", "tareas creadas por dia", json!("created")),
            ("trend_metric", "cierres por dia", json!("closed")),
            ("trend_metric", "cumplimiento por semana", json!("sla_compliance")),
            ("bucket", "mttr semanal", json!("week")),
            ("bucket", "tendencia del mttr", json!("day")),
            ("metric", "voltaje de baterias", json!("battery")),
            ("metric", "monitores", json!(null)),
            ("monitor_status", "monitores sin lectura", json!("unknown")),
            ("equipment", "que rectificador hay", json!("rectificador")),
            ("incident", "clasifica este incidente", json!(null)),
            ("incident", "clasifica: humo en la sala", json!("humo en la sala")),
            (
                "incident",
                "clasifica robo de cables",
                json!("clasifica robo de cables"),
            ),
        ] {
            assert_eq!(asked(entity, text), value, "{entity}: {text}");
        }
    }
}
