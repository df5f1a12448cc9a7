//! What a text says of a named record, and what it says that it did.
//!
//! *SITE-002 está caído* must be what the record says. *Cerré la tarea* needs a call that
//! really closed one: a preview allows *voy a cerrar* and no more.

use std::sync::LazyLock;

use regex::Regex;

use super::evidence::Evidence;
use super::folded::{Folded, sentences};
use super::numbers::pattern;
use super::{Claim, Kind, Verdict};

/// A word's beginning, the state it means.
const STATES: &[(&str, &str)] = &[
    ("abiert", "open"),
    ("cerrad", "closed"),
    ("estancad", "stalled"),
    ("escalad", "escalated"),
    ("resuelt", "resolved"),
    ("vencid", "overdue"),
    ("autorizad", "authorized"),
    ("caid", "down"),
    ("activo", "active"),
    ("activa", "active"),
    ("pendiente", "pending"),
    ("en curso", "in_progress"),
    ("en progreso", "in_progress"),
    ("cancelad", "cancelled"),
    ("degradad", "degraded"),
];

/// A state, and the values that records write for it.
const VALUES: &[(&str, &[&str])] = &[
    ("open", &["open", "abierta", "abierto"]),
    ("closed", &["closed", "cerrada", "cerrado"]),
    ("stalled", &["stalled", "estancada"]),
    ("escalated", &["escalated", "escalada"]),
    ("resolved", &["resolved", "resuelta", "closed"]),
    ("overdue", &["overdue", "vencida", "breach", "breached"]),
    ("authorized", &["authorized", "autorizado", "autorizada", "granted"]),
    ("down", &["down", "caido", "caida", "offline"]),
    ("active", &["active", "activo", "activa", "up", "online"]),
    ("pending", &["pending", "pendiente"]),
    ("in_progress", &["in_progress", "en curso", "en progreso", "progress"]),
    ("cancelled", &["cancelled", "canceled", "cancelada"]),
    ("degraded", &["degraded", "degradado", "degradada"]),
];

/// The states that a record has one of: only between these does one rule out the other.
const OF_A_TASK: &[&str] = &["open", "closed", "stalled", "in_progress", "cancelled", "resolved"];
const OF_A_SITE: &[&str] = &["down", "active", "degraded"];
const OF_AN_ACCESS: &[&str] = &["authorized", "pending"];

static ID: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\b[a-z]{1,6}(?:-[a-z]{1,6})*-\d[\w-]*"));
/// A word's beginning as it is sought and as it is denied, the word itself, and the state it says.
type StateWord = (Option<Regex>, Option<Regex>, &'static str, &'static str);

static STATE_WORDS: LazyLock<Vec<StateWord>> = LazyLock::new(|| {
    let rows = STATES.iter().map(|(stem, state)| {
        (
            pattern(&format!(r"\b{stem}")),
            pattern(&format!(r"\bno (?:esta )?{stem}")),
            *stem,
            *state,
        )
    });
    rows.collect()
});

/// What was done, as a person would say it of themselves, with the tools that do it. Read in
/// lower case with its accents: *envié* is done, *envíe* is asked for.
const ACTIONS: &[(&str, &[&str])] = &[
    (
        r"\b(?:cerré|asigné|actualicé|escalé|cambié|tomé|cancelé|marqué|reasigné|he (?:cerrado|asignado|actualizado|escalado|cambiado|tomado|cancelado|marcado))\b",
        &["update_task_status"],
    ),
    (
        r"\b(?:quedó|ha sido|fue) (?:cerrada|asignada|actualizada|escalada|tomada|cancelada)\b",
        &["update_task_status"],
    ),
    (
        r"\b(?:agregué|anoté|añadí|he (?:agregado|anotado|añadido)|nota (?:agregada|registrada|añadida)|quedó (?:anotad[oa]|agregada))\b",
        &["add_task_note"],
    ),
    (
        r"\b(?:creé|he creado|(?:quedó|ha sido|fue) creada|(?:tarea|ticket) (?:creada|creado))\b",
        &["create_field_task"],
    ),
    (
        r"\b(?:envié|mandé|avisé|notifiqué|he (?:enviado|mandado|avisado|notificado)|(?:correo|mensaje|whatsapp|aviso) enviado|(?:quedó|ha sido|fue) enviad[oa])\b",
        &["send_email", "send_whatsapp"],
    ),
    (
        r"(?:^|[.!?\n]\s*)(?:✅\s*)?(?:listo|hecho|confirmado|ejecutado)\b|\b(?:registré|quedó registrad[oa]|he registrado)\b",
        &[],
    ),
];

static DONE: LazyLock<Vec<(Option<Regex>, &'static [&'static str])>> =
    LazyLock::new(|| ACTIONS.iter().map(|(words, tools)| (pattern(words), *tools)).collect());

/// Reads what a text says of records, and what it says was done.
pub(super) fn read(answer: &Folded<'_>, evidence: &Evidence, claims: &mut Vec<Claim>) {
    states(answer, evidence, claims);
    actions(answer.whole(), evidence, claims);
}

fn states(answer: &Folded<'_>, evidence: &Evidence, claims: &mut Vec<Claim>) {
    for (from, to) in sentences(&answer.text) {
        let Some(sentence) = answer.text.get(from..to) else {
            continue;
        };
        let ids: Vec<&str> = ID
            .iter()
            .flat_map(|id| id.find_iter(sentence))
            .map(|m| m.as_str())
            .collect();
        let [id] = ids.as_slice() else { continue };
        let id = (*id).to_owned();
        let records: Vec<_> = evidence
            .known
            .objects
            .iter()
            .filter(|object| object.contains(&id))
            .collect();
        // *Puerta abierta* in a task's title says nothing of the task.
        let mut sentence = sentence.to_owned();
        for title in records
            .iter()
            .flat_map(|record| record.iter())
            .filter(|text| text.contains(' '))
        {
            sentence = sentence.replace(title.as_str(), &" ".repeat(title.len()));
        }
        for (says, denies, _, state) in STATE_WORDS.iter() {
            let Some(found) = says.as_ref().and_then(|says| says.find(&sentence)) else {
                continue;
            };
            if denies.as_ref().is_some_and(|denies| denies.is_match(&sentence)) {
                continue;
            }
            let is = |state: &str| {
                let values = VALUES
                    .iter()
                    .find(|(name, _)| *name == state)
                    .map(|(_, values)| *values);
                values
                    .unwrap_or_default()
                    .iter()
                    .any(|value| records.iter().any(|record| record.contains(*value)))
            };
            let family = [OF_A_TASK, OF_A_SITE, OF_AN_ACCESS]
                .into_iter()
                .find(|family| family.contains(state));
            let other = match family {
                Some(family) => family.iter().any(|other| is(other)),
                None => VALUES.iter().any(|(other, _)| is(other)),
            };
            let verdict = if records.is_empty() {
                if evidence.known.ids.contains(&id) || evidence.echoed.ids.contains(&id) {
                    Verdict::Exempt
                } else {
                    Verdict::Unsupported
                }
            } else if is(state) {
                Verdict::Grounded
            } else if other && family.is_some() {
                Verdict::Unsupported
            } else {
                continue;
            };
            let at = sentence.find(&id).unwrap_or_default();
            let span = from + at.min(found.start())..from + (at + id.len()).max(found.end());
            claims.push(Claim {
                text: answer.original(&span),
                kind: Kind::State,
                verdict,
                at: answer.place(&span),
            });
        }
    }
}

fn actions(answer: &str, evidence: &Evidence, claims: &mut Vec<Claim>) {
    let lower = answer.to_lowercase();
    for (words, tools) in DONE.iter() {
        for found in words.iter().flat_map(|words| words.find_iter(&lower)) {
            let done = match *tools {
                // *Listo* is anything done.
                [] => !evidence.done.is_empty(),
                tools => evidence.done.iter().any(|done| tools.contains(&done.as_str())),
            };
            // *Fue cerrada* of a record that is closed tells of the record.
            let told = found.as_str().starts_with("fue ") && evidence.answered;
            claims.push(Claim {
                text: found.as_str().trim().to_owned(),
                kind: Kind::Action,
                verdict: if done {
                    Verdict::Grounded
                } else if told {
                    Verdict::Exempt
                } else {
                    Verdict::Unsupported
                },
                at: (found.start(), found.end()),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_compiles_and_every_state_has_its_values() {
        assert!(DONE.iter().all(|(words, _)| words.is_some()));
        assert!(
            STATE_WORDS
                .iter()
                .all(|(says, denies, ..)| says.is_some() && denies.is_some())
        );
        for (_, state) in STATES {
            assert!(VALUES.iter().any(|(name, _)| name == state), "{state}");
        }
    }
}
