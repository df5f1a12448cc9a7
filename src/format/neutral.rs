//! Data in WhatsApp text: what looks like markup there is shown, never obeyed.
//!
//! WhatsApp has no escape character. A marker only works in a pair (`*x*`, with a border on the
//! outer sides and none on the inner), so single ones and those inside words (`CELDA_01_A`)
//! stay; of a pair that would work, the markers become their look-alikes.

use std::borrow::Cow;

/// The markers of WhatsApp that work in pairs within a line, with what looks like them.
const LOOKALIKES: [(char, char); 3] = [('*', '∗'), ('_', 'ˍ'), ('~', '∼')];

/// Foreign text, safe for a message; also without control and text-direction characters.
pub fn neutral(text: &str) -> Cow<'_, str> {
    with(text, Pairs::Working)
}

/// The same for text that will stand between `*`: one line, and no `*` at a border.
pub fn neutral_title(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    with(&line, Pairs::AnyStar).into_owned()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pairs {
    Working,
    AnyStar,
}

fn with(text: &str, pairs: Pairs) -> Cow<'_, str> {
    if !text.chars().any(is_special) && !text.starts_with('>') && !text.contains("\n>") {
        return Cow::Borrowed(text);
    }
    let cleaned = clean(text);
    let mut out = String::with_capacity(cleaned.len() + 8);
    for (number, line) in cleaned.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        line_into(line, pairs, &mut out);
    }
    Cow::Owned(out)
}

fn is_special(c: char) -> bool {
    matches!(c, '*' | '_' | '~' | '`') || (c != '\n' && is_unwanted(c))
}

/// Control characters, and those that turn the direction of text (they can make an id read backwards).
fn is_unwanted(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\t' => out.push(' '),
            '`' => out.push('\''),
            c if is_unwanted(c) => {}
            c => out.push(c),
        }
    }
    out
}

fn line_into(line: &str, pairs: Pairs, out: &mut String) {
    let chars: Vec<char> = line.chars().collect();
    let active = LOOKALIKES.map(|(marker, _)| {
        (pairs == Pairs::AnyStar && marker == '*' && chars.contains(&marker)) || pair_works(&chars, marker)
    });
    for (at, &c) in chars.iter().enumerate() {
        let border = |i: Option<usize>| i.and_then(|i| chars.get(i)).is_none_or(|c| !c.is_alphanumeric());
        let at_border = border(at.checked_sub(1)) || border(at.checked_add(1));
        let lookalike = LOOKALIKES
            .iter()
            .zip(active)
            .find(|((marker, _), active)| *marker == c && *active && at_border);
        match lookalike {
            Some(((_, alike), _)) => out.push(*alike),
            // At the beginning of a line these would begin a quote or a list.
            None if at == 0 && c == '>' => out.push('›'),
            None if at == 0 && c == '*' && chars.get(1) == Some(&' ') => out.push('∗'),
            None => out.push(c),
        }
    }
}

/// Would WhatsApp find a beginning of this marker and, later in the line, an end?
fn pair_works(chars: &[char], marker: char) -> bool {
    let neighbours = |at: usize| (at.checked_sub(1).and_then(|i| chars.get(i)), chars.get(at + 1));
    let opens = |at: &usize| {
        let (before, after) = neighbours(*at);
        before.is_none_or(|c| !c.is_alphanumeric()) && after.is_some_and(|c| !c.is_whitespace())
    };
    let closes = |at: &usize| {
        let (before, after) = neighbours(*at);
        before.is_some_and(|c| !c.is_whitespace()) && after.is_none_or(|c| !c.is_alphanumeric())
    };
    let mut markers = chars
        .iter()
        .enumerate()
        .filter(|(_, c)| **c == marker)
        .map(|(at, _)| at);
    let Some(begin) = markers.find(opens) else {
        return false;
    };
    markers.any(|at| at > begin + 1 && closes(&at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_work_as_markup_is_left_alone() {
        for text in [
            "5 * 3 = 15",
            "CELDA_01_A",
            "a_b_c",
            "~40 min",
            "2*3*4",
            "*123# y luego",
            "T-10001 · 4,2 h",
            "a - b",
        ] {
            assert_eq!(neutral(text), text);
        }
    }

    #[test]
    fn what_would_work_is_shown_and_not_obeyed() {
        for (text, safe) in [
            ("*URGENTE* ver", "∗URGENTE∗ ver"),
            ("**URGENTE**", "∗∗URGENTE∗∗"),
            ("nota _ojo_.", "nota ˍojoˍ."),
            ("~tachado~", "∼tachado∼"),
            ("corre `ls`", "corre 'ls'"),
            ("> cita", "› cita"),
            ("* punto", "∗ punto"),
            ("clave *1234*", "clave ∗1234∗"),
        ] {
            assert_eq!(neutral(text), safe);
        }
        assert_eq!(neutral_title("Torre *A\nB"), "Torre ∗A B");
    }

    #[test]
    fn control_and_direction_characters_are_dropped() {
        assert_eq!(neutral("a\r\nb\tc\u{0}\u{202e}d\u{2028}e"), "a\nb cd\ne");
    }
}
