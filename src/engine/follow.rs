//! Questions that lean on the one before: `¿y las de zona sur?`, `detalles de la 2`, `ese sitio`.

use crate::planner::features::mask;
use crate::planner::lexicon::{is_common, lexicon};

use super::extract::Found;
use super::rules::{Nth, position};

/// Concepts that name a subject of their own; a question that has one stands by itself.
const OWN_SUBJECT: [&str; 22] = [
    "task",
    "site",
    "alarm",
    "access",
    "kpi",
    "sla",
    "panel",
    "network",
    "briefing",
    "summary",
    "mine",
    "near",
    "distance",
    "crew",
    "history",
    "equipment",
    "detail",
    "location",
    "phone",
    "write",
    "send",
    "media",
];
/// Words that begin a question that goes on from the last.
pub const GOES_ON: [&str; 18] = [
    "hazlo", "dejalo", "ponlo", "damelo", "disculpa", "era", "y", "e", "pero", "ahora", "tambien", "no", "solo",
    "mejor", "and", "perdon", "digo", "entonces",
];
/// Words that only turn an answer: what is asked for stays.
const TURNS: [&str; 36] = [
    "caid",
    "degrad",
    "energia",
    "transporte",
    "fibra",
    "seguridad",
    "radio",
    "temperatura",
    "vencid",
    "escalad",
    "cancelad",
    "antigu",
    "viej",
    "recient",
    "abiert",
    "cerrad",
    "cerro",
    "cerraron",
    "estanc",
    "parad",
    "pendient",
    "curso",
    "progreso",
    "espera",
    "critic",
    "alta",
    "media",
    "baja",
    "mayor",
    "menor",
    "correctiv",
    "preventiv",
    "instalacion",
    "urgent",
    "nueva",
    "todas",
];

/// Verbs that a pronoun stands before.
const VERBS: [&str; 14] = [
    "tiene",
    "tienen",
    "lleva",
    "llevan",
    "ve",
    "atiende",
    "cerro",
    "cerraron",
    "creo",
    "abrio",
    "asignaron",
    "trabaja",
    "toca",
    "queda",
];

/// Does the question only change a part of the one before?
pub fn turns_the_last(found: &Found) -> bool {
    let words = &found.words;
    let goes_on = words.first().is_some_and(|word| GOES_ON.contains(&word.as_str()));
    let mut changes = 0;
    for word in words.iter().filter(|word| !is_common(word)) {
        let entity = mask::ENTITIES.contains(&word.as_str());
        let turns = TURNS.iter().any(|stem| word.starts_with(stem));
        let neutral = GOES_ON.contains(&word.as_str())
            || matches!(
                word.as_str(),
                "xnum" | "mas" | "zonas" | "zona" | "pais" | "nacional" | "por" | "todo" | "toda" | "chile"
            );
        match () {
            () if entity || turns => changes += 1,
            // *hazlo de 24 horas*: another length of the same.
            () if found.entities.more.hours.is_some()
                && matches!(word.as_str(), "horas" | "hora" | "dias" | "hours") =>
            {
                changes += 1;
            }
            () if neutral => {}
            // *y las alarmas?* has a subject of its own, *y las de ayer?* has none.
            () if lexicon()
                .concepts_of(word)
                .any(|concept| OWN_SUBJECT.contains(&concept)) =>
            {
                return false;
            }
            () => return false,
        }
    }
    // A bare entity is a question by itself; what goes on from the last says so, or has an article.
    let leans = goes_on
        || words
            .first()
            .is_some_and(|w| matches!(w.as_str(), "las" | "los" | "la" | "el" | "de" | "del" | "en"));
    // *últimos 30 días* alone asks nothing: it is another time for what was asked.
    let time_alone = words.iter().all(|word| word == mask::DATE || is_common(word));
    (changes > 0 || drops_zone(found)) && (leans || time_alone)
}

/// Does the question go on from the one before (`y las de …`)?
pub fn goes_on(found: &Found) -> bool {
    found.words.first().is_some_and(|word| GOES_ON.contains(&word.as_str()))
}

/// *todas las zonas*, *todo el país*: the zone falls away.
pub fn drops_zone(found: &Found) -> bool {
    let text = found.words.join(" ");
    ["todas las zonas", "todo el pais", "nacional"]
        .iter()
        .any(|phrase| text.contains(phrase))
}

/// Does the question mean the record talked about before (`ese sitio`, `y su acceso`, `ahí`)?
pub fn means_the_subject(found: &Found) -> bool {
    let words: Vec<&str> = found.words.iter().map(String::as_str).collect();
    let points = |word: &str| {
        matches!(
            word,
            "ese"
                | "esa"
                | "eso"
                | "este"
                | "esta"
                | "esto"
                | "ahi"
                | "alli"
                | "alla"
                | "mismo"
                | "misma"
                | "su"
                | "sus"
                | "le"
                | "dicho"
                | "dicha"
                | "aquel"
                | "that"
                | "its"
                | "esse"
                | "essa"
        )
    };
    // *está caído* folds to *esta caido*: before a verb's word it points at nothing.
    let pointing = words.windows(2).any(|pair| match pair {
        [word @ ("esta" | "este" | "ese" | "esa"), next] => {
            let _ = word;
            lexicon()
                .concepts_of(next)
                .any(|c| matches!(c, "site" | "task" | "alarm"))
                || matches!(*next, "misma" | "mismo" | "ot" | "torre")
        }
        // *quién la tiene*: before a verb the article is a pronoun.
        ["la" | "lo" | "le", verb] if VERBS.contains(verb) => true,
        [word, _] => points(word) && !matches!(*word, "esta" | "este"),
        _ => false,
    });
    let ends = words
        .last()
        .is_some_and(|word| points(word) && !matches!(*word, "esta" | "este"));
    let goes_on = words
        .first()
        .is_some_and(|word| matches!(*word, "y" | "e" | "and" | "tambien"));
    pointing || ends || goes_on
}

/// *quién es el gestor*, *qué técnico la ve*: of whom, if not of the task talked about?
pub fn asks_whose(found: &Found) -> bool {
    const HANDS: [&str; 8] = [
        "gestor",
        "gestora",
        "tecnico",
        "tecnica",
        "responsable",
        "encargado",
        "encargada",
        "cuadrilla",
    ];
    let words = &found.words;
    words.iter().any(|word| HANDS.contains(&word.as_str()))
        && words.iter().all(|word| {
            is_common(word)
                || HANDS.contains(&word.as_str())
                || VERBS.contains(&word.as_str())
                || matches!(word.as_str(), "quien" | "cargo")
        })
}

/// The list position that a longer question names (`dame detalles de la 2`), and the question
/// with the position masked as `kind`.
pub fn position_in(found: &Found) -> Option<(Nth, usize)> {
    let words = &found.figures;
    words.iter().enumerate().find_map(|(at, word)| {
        let nth = position(word)?;
        let before = at.checked_sub(1).and_then(|i| words.get(i)).map_or("", String::as_str);
        let after = words.get(at + 1).map_or("", String::as_str);
        let announced = matches!(
            before,
            "la" | "el" | "del" | "opcion" | "numero" | "ver" | "detalle" | "detalles"
        ) || before == "al";
        // *las 2 más antiguas*, *la 1 de la tarde*, *la última semana* count something else.
        let counts = [
            "tarea", "sitio", "alarma", "dia", "hora", "semana", "mes", "mas", "visita", "nota", "vez",
        ]
        .iter()
        .any(|stem| after.starts_with(stem));
        (announced && !counts).then_some((nth, at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::features::{mask_figures, raw_words};

    fn found(text: &str) -> Found {
        let figures = raw_words(text);
        let mut words = figures.clone();
        mask_figures(&mut words);
        Found {
            words,
            figures,
            ..Found::default()
        }
    }

    #[test]
    fn a_question_that_only_changes_a_part_leans_on_the_last() {
        for text in [
            "y las de xzone",
            "y las cerradas",
            "no del xsite",
            "y xdate",
            "y en xsite",
            "las de xperson",
            "y en todas las zonas",
            "solo las criticas",
        ] {
            assert!(turns_the_last(&found(text)), "{text}");
        }
        for text in [
            "y las alarmas",
            "xsite",
            "estado xsite",
            "y el acceso",
            "tareas xzone",
            "mis tareas",
            "y el clima",
        ] {
            assert!(!turns_the_last(&found(text)), "{text}");
        }
    }

    #[test]
    fn a_position_in_the_list_is_told_from_a_count() {
        assert_eq!(position_in(&found("dame detalles de la 2")), Some((Nth::Number(2), 4)));
        assert_eq!(position_in(&found("acceso de la tercera")), Some((Nth::Number(3), 3)));
        for text in ["las 2 mas antiguas", "la ultima semana", "2 tareas", "dame 3"] {
            assert_eq!(position_in(&found(text)), None, "{text}");
        }
    }

    #[test]
    fn words_that_point_back_mean_the_subject() {
        for text in [
            "acceso de ese sitio",
            "y el acceso",
            "que alarmas hay ahi",
            "quien la tiene",
            "esta tarea quien la tiene",
        ] {
            assert!(means_the_subject(&found(text)), "{text}");
        }
        for text in ["esta caido xsite", "acceso xsite", "como esta la red"] {
            assert!(!means_the_subject(&found(text)), "{text}");
        }
    }
}
