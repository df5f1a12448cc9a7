//! What fixed rules know without any ranking: greetings, `más`, numbers, `ayuda`, yes and no.

use crate::domain::text::fold;

/// A message that is one of these and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Simple {
    /// Hello.
    Greeting,
    /// Thanks, or a nod.
    Thanks,
    /// What can it do?
    Help,
    /// The next page.
    More,
    /// The last answer once more.
    Again,
    /// A yes with nothing that it could answer.
    Yes,
    /// A no.
    No,
    /// Only pictures or marks.
    Signs,
    /// A number or ordinal alone: a choice, a list position; never silently a site.
    Nth(Nth),
}

/// A position in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nth {
    /// Counted from 1.
    Number(usize),
    /// The last.
    Last,
}

const GREETINGS: [&str; 26] = [
    "hola",
    "holi",
    "ola",
    "alo",
    "buenas",
    "buenos",
    "buen",
    "dia",
    "dias",
    "tardes",
    "tarde",
    "noches",
    "noche",
    "hi",
    "hello",
    "hey",
    "wena",
    "wenas",
    "saludos",
    "oi",
    "bom",
    "boa",
    "estimados",
    "estimado",
    "oye",
    "oiga",
];
const THANKS: [&str; 24] = [
    "gracias",
    "muchas",
    "mil",
    "grax",
    "gcias",
    "thanks",
    "thank",
    "you",
    "obrigado",
    "obrigada",
    "agradece",
    "se",
    "ok",
    "okey",
    "okas",
    "vale",
    "perfecto",
    "genial",
    "excelente",
    "bacan",
    "super",
    "buenisimo",
    "listo",
    "bien",
];
const HELP: [&str; 13] = [
    "ayuda",
    "ayudame",
    "help",
    "menu",
    "opciones",
    "opsiones",
    "comandos",
    "instrucciones",
    "ejemplos",
    "ajuda",
    "inicio",
    "start",
    "empezar",
];
const HELP_PHRASES: [&str; 20] = [
    "que puedes hacer",
    "que sabes hacer",
    "que podes hacer",
    "como funciona esto",
    "como se usa esto",
    "como funcionas",
    "para que sirves",
    "que te puedo preguntar",
    "que comandos hay",
    "no entiendo como usar esto",
    "ejemplos de consultas",
    "what can you do",
    "o que voce faz",
    "que haces",
    "en que me puedes ayudar",
    "como te uso",
    "que puedo preguntar",
    "quien eres",
    "necesito ayuda",
    "me puedes ayudar",
];
const YES: [&str; 8] = ["si", "sii", "sip", "dale", "confirmo", "correcto", "ya", "claro"];
const NO: [&str; 8] = [
    "no", "nop", "nel", "cancela", "cancelar", "negativo", "olvidalo", "nada",
];
const MORE: [&str; 12] = [
    "mas",
    "mass",
    "siguiente",
    "sigue",
    "continua",
    "continuar",
    "more",
    "mais",
    "ver mas",
    "dame mas",
    "muestra mas",
    "mas por favor",
];
const AGAIN: [&str; 8] = [
    "repite",
    "repiteme",
    "repetir",
    "puedes repetir",
    "otra vez",
    "de nuevo",
    "again",
    "repetelo",
];
/// Words that may stand beside a simple one without changing it.
const FILLERS: [&str; 16] = [
    "por", "favor", "porfa", "xfa", "po", "pues", "a", "todos", "amigo", "que", "tal", "bot", "relevo", "y", "muy",
    "todo",
];

/// Reads a message that is one of the simple ones.
pub fn simple(text: &str) -> Option<Simple> {
    let folded = fold(text);
    if !folded.chars().any(char::is_alphanumeric) {
        return match folded.as_str() {
            "" => None,
            marks if marks.chars().all(|c| "?¿¡!".contains(c)) => Some(Simple::Help),
            "+" => Some(Simple::More),
            _ => Some(Simple::Signs),
        };
    }
    let words: Vec<&str> = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect();
    let plain = words.join(" ");
    if MORE.contains(&plain.as_str()) {
        return Some(Simple::More);
    }
    if AGAIN.contains(&plain.as_str()) {
        return Some(Simple::Again);
    }
    if HELP_PHRASES.contains(&plain.as_str()) {
        return Some(Simple::Help);
    }
    if let Some(nth) = bare_position(&words) {
        return Some(Simple::Nth(nth));
    }
    let only = |list: &[&str]| {
        words.iter().any(|w| list.contains(w)) && words.iter().all(|w| list.contains(w) || FILLERS.contains(w))
    };
    if only(&HELP) {
        Some(Simple::Help)
    } else if only(&YES) {
        Some(Simple::Yes)
    } else if only(&NO) {
        Some(Simple::No)
    } else if only(&GREETINGS) || plain == "que tal" || plain == "como estas" || plain == "hola como estas" {
        Some(Simple::Greeting)
    } else if only(&THANKS) {
        Some(Simple::Thanks)
    } else {
        None
    }
}

/// `3`, `la 3`, `la tercera`, `opción 2`, `el último`, and nothing besides.
fn bare_position(words: &[&str]) -> Option<Nth> {
    let mut rest = words;
    while let [first, more @ ..] = rest
        && matches!(
            *first,
            "la" | "el"
                | "lo"
                | "los"
                | "opcion"
                | "numero"
                | "nro"
                | "n"
                | "ver"
                | "dame"
                | "a"
                | "y"
                | "esa"
                | "mejor"
        )
        && !more.is_empty()
    {
        rest = more;
    }
    match rest {
        [one] => position(one),
        [one, "por", "favor"] | [one, "porfa"] => position(one),
        _ => None,
    }
}

/// A number up to three digits, or an ordinal.
pub fn position(word: &str) -> Option<Nth> {
    const ORDINALS: [(&str, usize); 24] = [
        ("primera", 1),
        ("primero", 1),
        ("primer", 1),
        ("segunda", 2),
        ("segundo", 2),
        ("tercera", 3),
        ("tercero", 3),
        ("tercer", 3),
        ("cuarta", 4),
        ("cuarto", 4),
        ("quinta", 5),
        ("quinto", 5),
        ("sexta", 6),
        ("sexto", 6),
        ("septima", 7),
        ("septimo", 7),
        ("octava", 8),
        ("octavo", 8),
        ("novena", 9),
        ("noveno", 9),
        ("decima", 10),
        ("decimo", 10),
        ("uno", 1),
        ("tres", 3),
    ];
    if matches!(word, "ultima" | "ultimo") {
        return Some(Nth::Last);
    }
    let short = word.len() <= 3 && word.bytes().all(|b| b.is_ascii_digit());
    let number = if short {
        word.parse().ok().filter(|n| *n > 0)
    } else {
        None
    };
    number
        .or_else(|| ORDINALS.iter().find(|(name, _)| *name == word).map(|(_, n)| *n))
        .map(Nth::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_messages_are_known_by_rule() {
        for (text, meant) in [
            ("Hola!", Simple::Greeting),
            ("buenas tardes", Simple::Greeting),
            ("muchas gracias", Simple::Thanks),
            ("ok", Simple::Thanks),
            ("MÁS", Simple::More),
            ("más", Simple::More),
            ("ayuda", Simple::Help),
            ("¿Qué puedes hacer?", Simple::Help),
            ("???", Simple::Help),
            ("👍", Simple::Signs),
            ("sí", Simple::Yes),
            ("no", Simple::No),
            ("2", Simple::Nth(Nth::Number(2))),
            ("la tercera", Simple::Nth(Nth::Number(3))),
            ("opción 1", Simple::Nth(Nth::Number(1))),
            ("el último", Simple::Nth(Nth::Last)),
        ] {
            assert_eq!(simple(text), Some(meant), "{text}");
        }
    }

    #[test]
    fn a_question_is_not_simple() {
        for text in [
            "",
            "hola, estado sitio 2",
            "más alarmas",
            "no, del SITE-002",
            "10001",
            "mis tareas",
            "ayuda con la T-10001",
        ] {
            assert_eq!(simple(text), None, "{text}");
        }
    }
}
