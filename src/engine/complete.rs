//! Does a text look like a whole command? Then the inbox need not wait for more.

use crate::domain::text::fold;

/// Words with which a sentence does not end: who stops there is about to write on.
const UNFINISHED: [&str; 33] = [
    "a", "al", "con", "cual", "cuales", "cuantas", "cuantos", "d", "de", "del", "desde", "donde", "e", "el", "en",
    "entre", "hasta", "la", "las", "lo", "los", "mi", "o", "para", "pa", "por", "q", "que", "quien", "sitio", "tarea",
    "y", "zona",
];
/// Openers after which the question still comes.
const OPENERS: [&str; 16] = [
    "hola",
    "buenas",
    "buenos dias",
    "buen dia",
    "buenas tardes",
    "buenas noches",
    "oye",
    "oiga",
    "disculpa",
    "disculpe",
    "una consulta",
    "consulta",
    "una pregunta",
    "estimado",
    "estimada",
    "wena",
];
/// One word alone is a whole command only when it is one of these.
const WHOLE_WORDS: [&str; 26] = [
    "mas",
    "menu",
    "ayuda",
    "help",
    "si",
    "no",
    "ok",
    "dale",
    "confirmo",
    "listo",
    "correcto",
    "cancela",
    "cancelar",
    "stop",
    "alto",
    "baja",
    "alta",
    "inicio",
    "start",
    "gracias",
    "briefing",
    "kpis",
    "panel",
    "novedades",
    "todas",
    "primero",
];

/// True when nothing more is to be expected: a question mark or full stop at the end, an id, a
/// number, a known one-word command, or three words that do not end in the middle of a phrase.
pub fn looks_complete(text: &str) -> bool {
    let trimmed = text.trim_end();
    if trimmed.ends_with(['?', '!', '.']) && !trimmed.ends_with("..") {
        return true;
    }
    if trimmed.ends_with(['…', ',', ':', '-', '¿']) || trimmed.ends_with("..") {
        return false;
    }
    let folded = fold(trimmed);
    let plain = folded.trim_matches(|c: char| !c.is_alphanumeric());
    if OPENERS.contains(&plain) {
        return false;
    }
    let words: Vec<&str> = plain.split(' ').filter(|word| !word.is_empty()).collect();
    match (words.as_slice(), words.last()) {
        ([], _) | (_, None) => !folded.is_empty(), // an emoji alone is all there is
        (_, Some(last)) if UNFINISHED.contains(last) => false,
        (_, Some(last)) if last.bytes().any(|b| b.is_ascii_digit()) => true,
        ([only], _) => WHOLE_WORDS.contains(only),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_command_needs_no_wait() {
        for text in [
            "estado sitio SITE-002",
            "sitio 2",
            "2",
            "MÁS",
            "más",
            "¿alarmas?",
            "tareas zona norte",
            "👍",
            "ayuda",
            "mis tareas",
        ] {
            assert!(looks_complete(text), "{text}");
        }
    }

    #[test]
    fn an_opener_or_half_a_phrase_is_waited_for() {
        for text in [
            "hola",
            "Buenos días",
            "oye",
            "estado del",
            "tareas de la zona",
            "necesito...",
            "estado",
            "",
            "una consulta,",
        ] {
            assert!(!looks_complete(text), "{text}");
        }
    }
}
