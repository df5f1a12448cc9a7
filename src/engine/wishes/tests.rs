//! What people order, what only asks, and the words that are kept of it.

use super::*;
use crate::planner::features::raw_words;

fn found(text: &str) -> Found {
    let folded = fold(text);
    let masked = pattern(r"\bt-?[0-9]{5}\b").replace_all(&folded, "xtask");
    let masked = pattern(r"\bsite-?[0-9]{3}\b").replace_all(&masked, "xsite");
    let words = raw_words(&masked);
    Found {
        figures: words.clone(),
        words,
        rest: text.to_owned(),
        folded,
        ..Found::default()
    }
}

#[test]
fn what_is_plainly_ordered_is_known_by_rule() {
    use TaskAction::{Arrived, EnRoute, Escalate, Take};
    use TaskStatus::{Cancelled, Closed, InProgress, OnHold, Open, Stalled};
    for (text, wish) in [
        ("cierra la T-10001 porque ya quedó", Wish::Status(Closed)),
        ("cerrala", Wish::Status(Closed)),
        ("da por terminada la T-10001", Wish::Status(Closed)),
        ("marca la T-10001 como resuelta", Wish::Status(Closed)),
        ("ya quedó lista la T-10001", Wish::Status(Closed)),
        ("pon en espera la 10005, falta llave", Wish::Status(OnHold)),
        ("deja la T-10001 en espera de repuesto", Wish::Status(OnHold)),
        ("pasa la T-10001 a en curso", Wish::Status(InProgress)),
        ("marca la T-10001 como estancada", Wish::Status(Stalled)),
        ("cancela la tarea T-10001", Wish::Status(Cancelled)),
        ("reabre la T-10001", Wish::Status(Open)),
        ("la tomo", Wish::Action(Take)),
        ("yo la tomo", Wish::Action(Take)),
        ("tomo la T-10001", Wish::Action(Take)),
        ("asígname la T-10001", Wish::Action(Take)),
        ("voy en camino a la T-10001", Wish::Action(EnRoute)),
        ("VOY EN CAMINO", Wish::Action(EnRoute)),
        ("llegué", Wish::Action(Arrived)),
        ("ya llegue al sitio", Wish::Action(Arrived)),
        ("estoy en el sitio", Wish::Action(Arrived)),
        ("escala la tercera", Wish::Action(Escalate)),
        ("escala la T-10001 a supervisión", Wish::Action(Escalate)),
        ("agrega nota a la T-10005: cambié rectificador", Wish::Note),
        ("nota para la T-10005: sin acceso", Wish::Note),
        ("adjunta la foto a la T-10005", Wish::Note),
        ("crea una tarea en el SITE-002: sin energía, crítica", Wish::Create),
        ("abre un ticket por corte de energía en SITE-002", Wish::Create),
    ] {
        assert_eq!(ordered(&found(text)), Some(wish), "{text}");
    }
}

#[test]
fn what_asks_or_denies_orders_nothing() {
    for text in [
        "¿cuántas tareas se cerraron ayer?",
        "tareas cerradas",
        "qué cuadrilla va en camino",
        "quién llegó al sitio",
        "no cierres la T-10001",
        "todavía no llegué",
        "notas de la T-10001",
        "tareas en espera",
        "escaladas zona norte",
        "estado de la T-10001",
        "hay tareas nuevas",
        "cuándo se creó la tarea",
        "cómo llego al sitio",
        "mis tareas",
    ] {
        assert_eq!(ordered(&found(text)), None, "{text}");
    }
}

fn argument(text: &str, name: &str) -> String {
    let found = found(text);
    let wish = ordered(&found).unwrap();
    arguments(wish, &found)
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or("-")
        .to_owned()
}

#[test]
fn reasons_notes_and_titles_are_what_was_written() {
    for (text, name, told) in [
        ("cierra la T-10001 porque ya quedó", "reason", "ya quedó"),
        ("pon en espera la 10005, falta llave", "reason", "falta llave"),
        ("deja la T-10001 en espera de repuesto", "reason", "repuesto"),
        ("escala la T-10001 por falta de acceso", "reason", "falta de acceso"),
        ("cierra la T-10001", "reason", "-"),
        ("da por terminada la T-10001", "reason", "-"),
        ("marca la T-10001 como resuelta", "reason", "-"),
        ("cierra la T-10001 por favor", "reason", "-"),
        (
            "agrega nota a la T-10005: cambié rectificador",
            "text",
            "cambié rectificador",
        ),
        ("nota T-10005 sin acceso", "text", "sin acceso"),
        ("comenta en la tarea T-10005 que llegué tarde", "text", "llegué tarde"),
        ("agrega una nota a la T-10005", "text", "-"),
        (
            "crea una tarea en el SITE-002: sin energía, crítica",
            "title",
            "Sin energía",
        ),
        (
            "abre un ticket por corte de energía en SITE-002",
            "title",
            "Corte de energía",
        ),
        ("crea tarea SITE-002 sin energía", "title", "Sin energía"),
        ("crea una tarea correctiva en SITE-002", "title", "-"),
    ] {
        assert_eq!(argument(text, name), told, "{text}");
    }
}
