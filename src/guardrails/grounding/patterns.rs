//! The shapes that claims have in a folded text.

use std::sync::LazyLock;

use regex::Regex;

use super::numbers::{pattern, words_pattern};

/// What is counted in this trade.
pub(super) const NOUN: &str = "(?:tareas?|sitios?|alarmas?|cuadrillas?|incidencias?|tickets?|casos?|escaladas?|abiertas?|cerradas?|criticas?|estancadas?|gestor(?:es)?|tecnicos?|visitas?|equipos?|resultados?|registros?|correos?|activas?|vencidas?|pendientes?|asignadas?|monitores?|enlaces?|mensajes?|fotos?|notas?|clientes?|personas?|baterias?|fallas?)";

const MONTHS: [&str; 13] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "setiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

/// Every pattern, compiled once.
pub(super) struct Patterns {
    pub(super) urls: Option<Regex>,
    pub(super) markers: Option<Regex>,
    pub(super) ids: Option<Regex>,
    pub(super) dates: Option<Regex>,
    pub(super) times: Option<Regex>,
    pub(super) percents: Option<Regex>,
    pub(super) compound: Option<Regex>,
    pub(super) duration: Option<Regex>,
    pub(super) zero: Option<Regex>,
    pub(super) figure: Option<Regex>,
    pub(super) words: Option<Regex>,
    pub(super) more: Option<Regex>,
    pub(super) less: Option<Regex>,
    pub(super) about: Option<Regex>,
    pub(super) only_one: Option<Regex>,
}

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    urls: pattern(r"https?://\S+"),
    markers: pattern(r"(?m)^\s*\*?\d{1,3}[.)]\s"),
    ids: pattern(r"\b[a-z]{1,6}(?:-[a-z]{1,6})*-\d[\w-]*|\b\d{1,2}\.?\d{3}\.?\d{3}-[\dk]\b|\+\d[\d ]{7,}\d"),
    dates: pattern(
        r"\b(\d{4})-(\d{2})-(\d{2})\b|\b(\d{1,2})[/-](\d{1,2})(?:[/-](\d{2,4}))?\b|\b(\d{1,2}) de ([a-z]+)(?: (?:de|del) (\d{4}))?\b",
    ),
    times: pattern(r"\b([01]?\d|2[0-3]):([0-5]\d)\b"),
    percents: pattern(r"(\d+(?:[.,]\d+)?)\s*(?:%|por ciento)"),
    compound: pattern(
        r"(\d+(?:[.,]\d+)?)\s*(d|dias?|h|hrs?|horas?)\s*(?:y\s*)?(\d+)\s*(h|hrs?|horas?|minutos?|mins?|min|m)\b",
    ),
    duration: pattern(r"(\d+(?:[.,]\d+)?)\s*(horas?|hrs?|h|minutos?|mins?|min|segundos?|segs?|dias?|semanas?|d|s)\b"),
    zero: pattern(&format!(r"\b(?:no hay|sin|ningun[ao]?|0|cero)\s+(?:\w+\s+)?{NOUN}\b")),
    figure: pattern(r"\d+(?:[.,]\d+)*"),
    words: pattern(&format!(
        r"\b({})(?:\s+y\s+(un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve))?\s+(?:\w+\s+)?{NOUN}\b",
        words_pattern()
    )),
    more: pattern(r"(?:mas de|sobre|mayor a|supera|al menos|desde)\s*\*?$"),
    less: pattern(r"(?:menos de|casi|bajo|menor a|hasta)\s*\*?$"),
    about: pattern(r"(?:cerca de|aprox\.?|aproximadamente|alrededor de|unas|unos|~)\s*\*?$"),
    only_one: pattern(r"\b(?:solo|hay|queda|tienes)\s+$"),
});

/// The number of a month by its name.
pub(super) fn month(name: &str) -> Option<i16> {
    let at = MONTHS.iter().position(|month| *month == name)?;
    // September is written in two ways.
    let at = if at > 8 { at } else { at + 1 };
    i16::try_from(at).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_numbered_with_both_septembers() {
        for (name, number) in [
            ("enero", 1),
            ("septiembre", 9),
            ("setiembre", 9),
            ("octubre", 10),
            ("diciembre", 12),
        ] {
            assert_eq!(month(name), Some(number));
        }
        assert_eq!(month("brumario"), None);
    }

    #[test]
    fn every_pattern_compiles() {
        let p = &PATTERNS;
        for pattern in [
            &p.urls,
            &p.markers,
            &p.ids,
            &p.dates,
            &p.times,
            &p.percents,
            &p.compound,
            &p.duration,
            &p.zero,
            &p.figure,
            &p.words,
            &p.more,
            &p.less,
            &p.about,
            &p.only_one,
        ] {
            assert!(pattern.is_some());
        }
    }
}
