//! What a written figure may mean, and when a shown figure stands for an exact one.

use std::sync::LazyLock;

use regex::Regex;

/// One reading of a figure as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Its value.
    pub value: f64,
    /// Decimals shown.
    pub decimals: i32,
}

/// A pattern of this module's own; one that does not compile matches nothing, and a test says so.
pub(super) fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// All readings of a figure, in Spanish and in English: `1.234` is 1234 or 1.234.
pub fn readings(token: &str) -> Vec<Reading> {
    let token = token.trim().trim_end_matches(['.', ',']);
    let mut found = Vec::new();
    let mut add = |text: String, decimals: usize| {
        if let (Ok(value), Ok(decimals)) = (text.parse::<f64>(), i32::try_from(decimals)) {
            found.push(Reading { value, decimals });
        }
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits(token) {
        add(token.to_owned(), 0);
    }
    for (group, point) in [('.', ','), (',', '.')] {
        let (whole, part) = match token.split_once(point) {
            Some((whole, part)) => (whole, Some(part)),
            None => (token, None),
        };
        let mut groups = whole.split(group);
        let first = groups.next().unwrap_or_default();
        let rest: Vec<&str> = groups.collect();
        let grouped =
            digits(first) && first.len() <= 3 && !rest.is_empty() && rest.iter().all(|g| g.len() == 3 && digits(g));
        if grouped && part.is_none_or(digits) {
            let part = part.unwrap_or_default();
            let whole = whole.replace(group, "");
            add(
                if part.is_empty() {
                    whole
                } else {
                    format!("{whole}.{part}")
                },
                part.len(),
            );
        }
        if let Some(part) = part.filter(|part| digits(whole) && digits(part)) {
            add(format!("{whole}.{part}"), part.len());
        }
    }
    found
}

/// Does a figure shown with so many decimals stand for this exact value? Rounded half up, or cut.
pub fn rounds_to(exact: f64, shown: f64, decimals: i32) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let (exact, shown) = (exact.abs(), shown.abs());
    let scale = 10_f64.powi(decimals.min(9));
    let rounded = (exact * scale + 0.5 + 1e-9).floor() / scale;
    let cut = (exact * scale + 1e-9).floor() / scale;
    near(rounded, shown) || (decimals > 0 && near(cut, shown)) || near(exact, shown)
}

/// The words for figures, without *y*.
const WORDS: &[(&str, u32)] = &[
    ("cero", 0),
    ("un", 1),
    ("una", 1),
    ("uno", 1),
    ("dos", 2),
    ("tres", 3),
    ("cuatro", 4),
    ("cinco", 5),
    ("seis", 6),
    ("siete", 7),
    ("ocho", 8),
    ("nueve", 9),
    ("diez", 10),
    ("once", 11),
    ("doce", 12),
    ("trece", 13),
    ("catorce", 14),
    ("quince", 15),
    ("dieciseis", 16),
    ("diecisiete", 17),
    ("dieciocho", 18),
    ("diecinueve", 19),
    ("veinte", 20),
    ("veintiun", 21),
    ("veintiuno", 21),
    ("veintiuna", 21),
    ("veintidos", 22),
    ("veintitres", 23),
    ("veinticuatro", 24),
    ("veinticinco", 25),
    ("veintiseis", 26),
    ("veintisiete", 27),
    ("veintiocho", 28),
    ("veintinueve", 29),
    ("treinta", 30),
    ("cuarenta", 40),
    ("cincuenta", 50),
    ("sesenta", 60),
    ("setenta", 70),
    ("ochenta", 80),
    ("noventa", 90),
    ("cien", 100),
    ("ciento", 100),
    ("doscientos", 200),
    ("doscientas", 200),
    ("trescientos", 300),
    ("trescientas", 300),
    ("quinientos", 500),
    ("quinientas", 500),
    ("mil", 1000),
    ("docena", 12),
    ("decena", 10),
];

/// The figure a word stands for.
pub fn word(text: &str) -> Option<u32> {
    WORDS.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
}

/// The words as a choice of a pattern, the longest first so that *veintiuna* is not *veinte*.
pub fn words_pattern() -> &'static str {
    static PATTERN: LazyLock<String> = LazyLock::new(|| {
        let mut words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.join("|")
    });
    &PATTERN
}

/// Seconds of a unit of time.
pub fn unit_seconds(unit: &str) -> Option<f64> {
    let seconds = match unit {
        "s" | "seg" | "segs" | "segundo" | "segundos" => 1.0,
        "m" | "min" | "mins" | "minuto" | "minutos" => 60.0,
        "h" | "hr" | "hrs" | "hora" | "horas" => 3600.0,
        "d" | "dia" | "dias" => 86_400.0,
        "semana" | "semanas" => 604_800.0,
        _ => return None,
    };
    Some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(token: &str) -> Vec<f64> {
        readings(token).into_iter().map(|r| r.value).collect()
    }

    #[test]
    fn a_figure_is_read_in_spanish_and_in_english() {
        assert_eq!(values("12"), [12.0]);
        assert_eq!(values("1.234"), [1234.0, 1.234]);
        assert_eq!(values("4,2"), [4.2]);
        assert_eq!(values("12.345.678"), [12_345_678.0]);
        assert_eq!(values("1.234,5"), [1234.5]);
        assert_eq!(values("1,234.5"), [1234.5]);
        assert_eq!(values("3."), [3.0]);
        assert!(values("1.2.3").is_empty() && values("").is_empty());
    }

    #[test]
    fn a_shown_figure_is_the_exact_one_rounded_or_cut() {
        assert!(rounds_to(92.37, 92.4, 1) && rounds_to(92.37, 92.3, 1) && rounds_to(40.8, 41.0, 0));
        assert!(!rounds_to(92.37, 93.0, 0) && !rounds_to(40.8, 40.0, 0) && !rounds_to(3.0, 4.0, 0));
    }
}
