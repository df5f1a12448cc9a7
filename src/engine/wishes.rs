//! What somebody wants changed, in their words: which tool, which task, what reason.
//!
//! Rules take what is plainly said (`cierra la T-10001 porque ya quedó`, `voy en camino`); what the
//! ranker finds comes the same way. Nothing here changes anything: the worst of a wish
//! misread is a preview that nobody says yes to. A question about changes is none.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::domain::sets::{TaskAction, TaskStatus};
use crate::domain::text::fold;
use crate::planner::lexicon::is_common;

use super::extract::{Found, pattern};

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// A task in another status.
    Status(TaskStatus),
    /// Something done with a task.
    Action(TaskAction),
    /// A note on a task.
    Note,
    /// A task more.
    Create,
}

impl Wish {
    /// The tool that does it.
    pub const fn tool(self) -> &'static str {
        match self {
            Self::Status(_) | Self::Action(_) => "update_task_status",
            Self::Note => "add_task_note",
            Self::Create => "create_field_task",
        }
    }
}

/// What asks, and orders nothing.
const ASKS: [&str; 24] = [
    "que",
    "cual",
    "cuales",
    "cuando",
    "cuanto",
    "cuantos",
    "cuanta",
    "cuantas",
    "quien",
    "quienes",
    "donde",
    "como",
    "hay",
    "dame",
    "muestra",
    "muestrame",
    "lista",
    "ver",
    "estado",
    "historial",
    "detalle",
    "busca",
    "which",
    "what",
];

/// The patterns of each wish, over the folded text; the first that fits decides. What a pattern
/// ends with needs no task when the conversation or the person's own work tells which.
const RULES: &[(Wish, &str)] = &[
    (
        Wish::Create,
        r"\b(?:cre(?:a|ar|ame|en|o)|abr(?:e|ir|eme|an)|gener(?:a|ar|ame)|levant(?:a|ar|ame)|ingres(?:a|ar|ame)|registr(?:a|ar|ame)|report(?:a|ar)|nuev[ao]|hac(?:er|eme)|haz(?:me)?|create|open)\b (?:(?:un|una|el|la|otra|a|new|nueva) )?(?:tarea|ticket|incidencia|incidente|caso|ot|orden de trabajo|reclamo|falla|averia|task)\b",
    ),
    (
        Wish::Note,
        r"\b(?:agreg\w+|anad\w+|pon\w*|dej\w+|escrib\w+|sum\w+|ingres\w+|registr\w+|add)\b (?:\w+ ){0,3}?(?:nota|comentario|observacion|evidencia|note)\b",
    ),
    (
        Wish::Note,
        r"^(?:nota|comentario|observacion|evidencia)\b (?:para|en|a|xtask|[0-9]{5})\b",
    ),
    (
        Wish::Note,
        r"\b(?:anota|anotar|comenta|comentar|documenta)\b (?:en|que|a|la)\b",
    ),
    (Wish::Note, r"\b(?:registr\w+|anot\w+|escrib\w+) en (?:la )?bitacora\b"),
    (
        Wish::Note,
        r"\b(?:adjunt\w+|agreg\w+|sub\w+|sum\w+|pon\w*|guard\w+)\b (?:\w+ ){0,3}?(?:foto|fotos|imagen|documento|audio|archivo)\b",
    ),
    (
        Wish::Status(TaskStatus::Open),
        r"\b(?:reabr\w+|vuelve a abrir|reopen)\b",
    ),
    (
        Wish::Status(TaskStatus::OnHold),
        r"\b(?:pon\w*|dej\w+|pas\w+|marc\w+|cambi\w+|queda\w*)\b.{0,40}\b(?:en espera|en pausa|on hold)\b|\b(?:suspend\w+|pausa|pausar|pausala)\b",
    ),
    (
        Wish::Status(TaskStatus::InProgress),
        r"\b(?:pon\w*|dej\w+|pas\w+|marc\w+|cambi\w+)\b.{0,40}\b(?:en curso|en progreso|en ejecucion|iniciada)\b|\b(?:empece|comence|inicie|retome|retomo|empiezo|retoma)\b (?:con )?(?:la|el|esa|esta|tarea|xtask)\b",
    ),
    (
        Wish::Status(TaskStatus::Stalled),
        r"\b(?:pon\w*|dej\w+|pas\w+|marc\w+|cambi\w+)\b.{0,40}\b(?:estancad[ao]|detenid[ao]|parad[ao]|trabad[ao])\b",
    ),
    (
        Wish::Status(TaskStatus::Cancelled),
        r"\b(?:cancel(?:a|ar|ala|en|e)|anul(?:a|ar|ala|e))\b (?:la|el|esa|esta|tarea|ticket|xtask)\b|\bmarc\w+\b.{0,40}\bcancelad[ao]\b",
    ),
    (
        Wish::Status(TaskStatus::Closed),
        r"\b(?:cierr(?:a|e|ala|ame|amela|en|alo)|cerr(?:ar|ala|arla|emos|alo)|finaliz(?:a|ar|ala|e)|termin(?:e|a|ala|ada la)|acabe|close|fechar|feche)\b|\b(?:da|dar|doy|demos)\b.{0,6}\b(?:por )(?:terminad|cerrad|finalizad)|\b(?:marc\w+|pon\w*|dej\w+|pas\w+|cambi\w+)\b.{0,40}\b(?:resuelt[ao]|cerrad[ao]|list[ao]|terminad[ao]|finalizad[ao])\b|\blisto con (?:la|el)\b|\b(?:ya )?quedo (?:list[ao]|resuelt[ao]|reparad[ao]|operativ[ao]) (?:la|el)\b|\bxtask quedo (?:list|resuelt|reparad|operativ)",
    ),
    (
        Wish::Action(TaskAction::Escalate),
        r"\b(?:escal(?:a|ar|ala|alo|e|emos|ame)|eleva|elevar|elevala)\b (?:por|la|el|lo|esa|esta|eso|esto|tarea|ticket|xtask|a|al|xsite|de)\b|^escal(?:a|ala|alo)$|\bsub(?:e|ir)\w* (?:el |de )?nivel\b",
    ),
    (
        Wish::Action(TaskAction::EnRoute),
        r"\b(?:voy|vamos|estoy|estamos) (?:ya )?en (?:camino|ruta|viaje)\b|\b(?:voy|vamos) (?:saliendo|llegando|hacia|para|rumbo)\b|\b(?:salgo|salimos) (?:ya |ahora )?(?:hacia|para|a|al|rumbo)\b|^(?:ya )?en camino\b|\bon my way\b|\ba caminho\b",
    ),
    (
        Wish::Action(TaskAction::Arrived),
        r"^(?:hola )?(?:ya )?(?:llegue|llegamos|arribe|arribamos|cheguei)\b|\b(?:estoy|estamos) (?:ya )?en (?:el |la )?(?:sitio |torre )?(?:sitio|torre|terreno|lugar|xsite)(?: ya| (?:por|para|con) (?:la )?(?:tarea )?xtask)?$|^(?:ya )?en (?:el )?sitio$|\bi have arrived\b|\bi arrived\b",
    ),
    (
        Wish::Action(TaskAction::Take),
        r"\b(?:yo )?(?:la|lo|me la|esa la|me lo) (?:tomo|agarro|quedo|llevo|hago yo|atiendo yo)\b|\b(?:tomo|tomamos|agarro|asumo) (?:yo )?(?:la|el|esa|esta|ese|tarea|xtask)\b|\b(?:asigna(?:me|mela|melo|rme)|asignar a mi)\b|\bme hago cargo\b|\bponla a mi nombre\b|\btake task\b",
    ),
];

static COMPILED: LazyLock<Vec<(Wish, Regex)>> =
    LazyLock::new(|| RULES.iter().map(|(wish, rule)| (*wish, pattern(rule))).collect());

/// What a message plainly orders; None when it asks or says something else.
pub fn ordered(found: &Found) -> Option<Wish> {
    let words: Vec<&str> = found.words.iter().map(String::as_str).collect();
    let first = words.iter().find(|word| !is_common(word) || ASKS.contains(word))?;
    if ASKS.contains(first) || denied(&words) {
        return None;
    }
    of(&words.join(" "))
}

/// The wish in these words, entities masked.
fn of(text: &str) -> Option<Wish> {
    COMPILED
        .iter()
        .find(|(_, rule)| rule.is_match(text))
        .map(|(wish, _)| *wish)
}

/// *no cierres*, *todavía no llegué*, *no voy en camino*.
fn denied(words: &[&str]) -> bool {
    words
        .iter()
        .take(3)
        .any(|word| matches!(*word, "no" | "nunca" | "todavia" | "aun"))
}

/// For a tool that the ranker chose: the wish in the words, else the tool's plainest.
pub fn for_tool(tool: &str, found: &Found) -> Option<Wish> {
    let said = of(&found.words.join(" "));
    match tool {
        "add_task_note" => Some(Wish::Note),
        "create_field_task" => Some(Wish::Create),
        "update_task_status" => said.filter(|wish| matches!(wish, Wish::Status(_) | Wish::Action(_))),
        _ => None,
    }
}

/// Of many at once: nothing is changed for many at one word.
pub fn of_many(found: &Found) -> bool {
    found.entities.task_ids.len() > 1
        || found
            .words
            .iter()
            .any(|word| matches!(word.as_str(), "todas" | "todos" | "tareas" | "tickets"))
}

/// The arguments that stand in the words themselves: status or action, reason, note, title.
pub fn arguments(wish: Wish, found: &Found) -> Map<String, Value> {
    let mut args = Map::new();
    let mut put = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            args.insert(name.to_owned(), json!(text));
        }
    };
    match wish {
        Wish::Status(status) => {
            put("status", Some(status.to_string()));
            put("reason", reason(found));
        }
        Wish::Action(action) => {
            put("action", Some(action.to_string()));
            put("reason", reason(found).filter(|_| action != TaskAction::Take));
        }
        Wish::Note => put("text", note(found)),
        Wish::Create => {
            put("title", title(found));
            put("criticality", found.entities.criticality.map(|c| c.to_string()));
            put("work_type", found.entities.work_type.map(|w| w.to_string()));
            put("crew_id", found.entities.more.crews.first().map(ToString::to_string));
        }
    }
    args
}

/// `porque ya quedó`, `, falta llave`, `motivo: sin repuesto`: why, as it was written.
fn reason(found: &Found) -> Option<String> {
    static BECAUSE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:porque|por qu[eé]|ya que|debido a(?: que)?|a causa de|motivo:?|raz[oó]n:?|pues|por falta|por|because|since)\b\s*",
        )
    });
    let text = found.rest.trim();
    let told = match BECAUSE.find(text) {
        // *por falta de acceso* is a reason with its first words; *dar por cerrada* is none.
        Some(at) => {
            let word = fold(at.as_str());
            let from = if word.starts_with("por falta") {
                at.start() + 4
            } else {
                at.end()
            };
            let rest = text.get(from..).unwrap_or_default();
            if word == "por" && closes_by(rest) {
                after_subject(text)
            } else {
                Some(rest.to_owned())
            }
        }
        None => after_subject(text),
    };
    told.map(|told| tidy(&without_orders(&told)))
        .filter(|told| meaningful(told))
}

/// *por terminada*, *por favor*, *por cerrado*.
fn closes_by(rest: &str) -> bool {
    let rest = fold(rest);
    ["terminad", "cerrad", "finalizad", "favor", "fa", "list", "resuelt"]
        .iter()
        .any(|stem| rest.starts_with(stem))
}

/// What stands after the task named, or after a comma or colon.
fn after_subject(text: &str) -> Option<String> {
    static TASK: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)\b(?:t\s?[-.]?\s?)?[0-9]{4,6}\b|\bsite\s?-?[0-9]{1,4}\b"));
    let after_task = TASK.find_iter(text).last().and_then(|at| text.get(at.end()..));
    let cut = |text: &str| text.split_once([',', ':', ';']).map(|(_, rest)| rest.to_owned());
    match after_task {
        Some(rest) => Some(rest.to_owned()),
        None => cut(text),
    }
}

/// A colon announces; else what follows the task, else what follows *que*.
fn note(found: &Found) -> Option<String> {
    let text = found.rest.trim();
    let announced = text.split_once(": ").or_else(|| text.split_once(':'));
    let told = match announced {
        Some((before, told)) if !before.contains('"') => Some(told.to_owned()),
        _ => after_subject(text).filter(|told| meaningful(&tidy(told))),
    };
    let told = told.or_else(|| {
        let (_, told) = text.split_once(" que ")?;
        Some(told.to_owned())
    })?;
    Some(tidy(&told)).filter(|told| meaningful(told))
}

/// What a new task is about: the order, the place and the closed words taken away.
fn title(found: &Found) -> Option<String> {
    static ORDER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^.*?\b(?:tarea|ticket|incidencia|incidente|caso|ot|orden de trabajo|reclamo|task|(?:una|la) falla|(?:una|la) aver[ií]a)\b",
        )
    });
    static PLACE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:en|para|de|del|al|at)?\s*(?:el |la )?(?:sitio |torre |site )?\b(?:site\s?-?\s?[0-9]{1,4}|[a-z]{2}-[0-9]{4}|sitio [0-9]{1,4})\b",
        )
    });
    static CLOSED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:de |con )?(?:criticidad |prioridad |tipo |urgencia )?(?:cr[ií]tic[ao]|alta|media|baja|urgente|correctiv[ao]|preventiv[ao])\b",
        )
    });
    let text = found.rest.trim();
    let text = ORDER.replace(text, "");
    let text = PLACE.replace_all(&text, " ");
    let text = CLOSED.replace_all(&text, " ");
    let title = tidy(&text);
    if !meaningful(&title) {
        return None;
    }
    let mut letters = title.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

/// Words that order or name a status, where they lead what remains.
fn without_orders(text: &str) -> String {
    const LED: [&str; 44] = [
        "como",
        "a",
        "en",
        "de",
        "por",
        "con",
        "y",
        "la",
        "el",
        "lo",
        "tarea",
        "resuelta",
        "resuelto",
        "cerrada",
        "cerrado",
        "lista",
        "listo",
        "terminada",
        "finalizada",
        "cancelada",
        "estancada",
        "detenida",
        "espera",
        "curso",
        "progreso",
        "pausa",
        "cierrala",
        "cerrala",
        "ciérrala",
        "porque",
        "ya",
        "supervision",
        "supervisor",
        "noc",
        "nivel",
        "favor",
        "porfa",
        "al",
        "que",
        "esta",
        "sitio",
        "the",
        "task",
        "jefatura",
    ];
    // *ya quedó* keeps its *ya*: it is part of what is told.
    let kept: Vec<&str> = text.split_whitespace().collect();
    let led = kept
        .iter()
        .take_while(|word| {
            let folded = fold(word.trim_matches(|c: char| !c.is_alphanumeric()));
            folded.is_empty() || (LED.contains(&folded.as_str()) && folded != "ya")
        })
        .count();
    kept.get(led..).unwrap_or_default().join(" ")
}

fn tidy(text: &str) -> String {
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || ",:;.-–—\"«»".contains(c));
    let words: Vec<&str> = trimmed.split_whitespace().collect();
    let mut rest = words.as_slice();
    while let [first, more @ ..] = rest
        && matches!(
            fold(first).as_str(),
            "que" | "por" | "de" | "del" | "para" | "con" | "y" | "en" | "a" | "," | ":"
        )
    {
        rest = more;
    }
    while let [more @ .., last] = rest
        && matches!(
            fold(last).as_str(),
            "por" | "de" | "del" | "para" | "con" | "y" | "en" | "a" | "," | ":" | "porfa" | "el" | "la" | "trabajo"
        )
    {
        rest = more;
    }
    let joined = rest.join(" ").replace(" ,", ",").replace(",,", ",");
    joined
        .trim_matches(|c: char| c.is_whitespace() || ",:;".contains(c))
        .to_owned()
}

/// Is there anything told in it?
fn meaningful(text: &str) -> bool {
    let folded = fold(text);
    let mut words = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    text.chars().count() >= 3
        && words.any(|word| word.len() > 2 && !matches!(word, "por" | "favor" | "porfa" | "gracias"))
}

#[cfg(test)]
mod tests;
