//! Where a text that is too long may be cut: at a line, else at a word, else at a grapheme,
//! and never inside a number or an id.

use unicode_segmentation::GraphemeCursor;

/// The length of a text as the strictest counter may count it: UTF-16 units, which are never
/// fewer than its characters.
pub fn units(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().map(char::len_utf16).sum()
    }
}

/// Cuts a text longer than `budget` units in two; None when it fits. The head is never empty,
/// and fits, save where not even one character does; white space at the cut is dropped.
pub fn cut(text: &str, budget: usize) -> Option<(&str, &str)> {
    let limit = byte_limit(text, budget)?;
    let at = at_line(text, limit)
        .or_else(|| at_word(text, limit, |around| !digits_both_sides(around)))
        .or_else(|| at_word(text, limit, |_| true))
        .or_else(|| outside_token(text, limit))
        .or_else(|| grapheme_at_or_before(text, limit).filter(|at| *at > 0))
        .unwrap_or(limit);
    let (head, tail) = text.split_at_checked(at)?;
    Some((head.trim_end(), tail.trim_start()))
}

/// The end of the longest beginning within `budget` units, at least one character.
fn byte_limit(text: &str, budget: usize) -> Option<usize> {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.len_utf16();
        if used > budget {
            return Some(if at == 0 { c.len_utf8() } else { at });
        }
    }
    None
}

/// The last line break, when what stands before it fills at least half of what may be filled.
fn at_line(text: &str, limit: usize) -> Option<usize> {
    let head = text.get(..=limit).or_else(|| text.get(..limit))?;
    head.rfind('\n').filter(|at| *at >= limit / 2)
}

/// The last white space after some word, as far as `allowed` by the characters around it.
/// A no-break space is none: it holds a number together.
fn at_word(text: &str, limit: usize, allowed: fn((Option<char>, Option<char>)) -> bool) -> Option<usize> {
    let head = text.get(..=limit).or_else(|| text.get(..limit))?;
    let mut spaces = head.char_indices().rev().filter(|(_, c)| matches!(c, ' ' | '\n'));
    spaces.find_map(|(at, _)| {
        let (before, after) = text.split_at_checked(at)?;
        let around = (before.chars().next_back(), after.trim_start().chars().next());
        (!before.trim().is_empty() && allowed(around)).then_some(at)
    })
}

/// `1 234 567` and `+56 9 8000 0022` are one number each.
fn digits_both_sides(around: (Option<char>, Option<char>)) -> bool {
    matches!(around, (Some(a), Some(b)) if a.is_ascii_digit() && b.is_ascii_digit())
}

/// The last grapheme boundary that is not inside a number or an id.
fn outside_token(text: &str, limit: usize) -> Option<usize> {
    let at = grapheme_at_or_before(text, limit)?;
    let (before, after) = text.split_at_checked(at)?;
    let start = at - reach_back(before, after);
    let end = at + reach_on(before, after);
    let has_digit = text.get(start..end)?.chars().any(|c| c.is_ascii_digit());
    let at = if has_digit {
        grapheme_at_or_before(text, start)?
    } else {
        at
    };
    (at > 0).then_some(at)
}

fn grapheme_at_or_before(text: &str, at: usize) -> Option<usize> {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) => Some(at),
        _ => cursor.prev_boundary(text, 0).ok().flatten(),
    }
}

/// How many bytes of the token at the cut stand before it.
fn reach_back(before: &str, after: &str) -> usize {
    let (mut c, mut d) = first_two(after);
    let mut reach = 0;
    let mut left = before.chars().rev().peekable();
    while let Some(b) = left.next() {
        let a = left.peek().copied();
        let Some(next) = c else { break };
        if !joined(a, b, next, d) {
            break;
        }
        reach += b.len_utf8();
        (c, d) = (Some(b), c);
    }
    reach
}

/// How many bytes of the token at the cut stand after it.
fn reach_on(before: &str, after: &str) -> usize {
    let mut left = before.chars().rev();
    let (mut b, mut a) = (left.next(), left.next());
    let mut reach = 0;
    let mut right = after.chars().peekable();
    while let Some(c) = right.next() {
        let Some(previous) = b else { break };
        if !joined(a, previous, c, right.peek().copied()) {
            break;
        }
        reach += c.len_utf8();
        (a, b) = (b, Some(c));
    }
    reach
}

fn first_two(text: &str) -> (Option<char>, Option<char>) {
    let mut chars = text.chars();
    (chars.next(), chars.next())
}

/// Do `b` and `c` belong to one number or id, with `a` before and `d` after them?
fn joined(a: Option<char>, b: char, c: char, d: Option<char>) -> bool {
    let links = |left: Option<char>, link: char, right: Option<char>| match (left, right) {
        (Some(left), Some(right)) => match link {
            '.' | ',' | ':' => left.is_ascii_digit() && right.is_ascii_digit(),
            '-' | '/' | '_' | '\'' | '\u{a0}' | '\u{202f}' => left.is_alphanumeric() && right.is_alphanumeric(),
            _ => false,
        },
        _ => false,
    };
    (b.is_alphanumeric() && c.is_alphanumeric())
        || links(a, b, Some(c))
        || links(Some(b), c, d)
        || (matches!(b, '+' | '-' | '#' | '$' | '±' | '−') && c.is_ascii_digit())
        || (b.is_ascii_digit() && matches!(c, '%' | '°' | 'º'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_line_then_a_word_then_a_grapheme() {
        assert_eq!(cut("corto", 5), None);
        assert_eq!(cut("uno dos\ntres cuatro", 12), Some(("uno dos", "tres cuatro")));
        assert_eq!(cut("a\nuno dos tres", 10), Some(("a\nuno dos", "tres")));
        assert_eq!(cut("sinespacios", 4), Some(("sine", "spacios")));
        assert_eq!(
            cut("e\u{301}e\u{301}e\u{301}", 3),
            Some(("e\u{301}", "e\u{301}e\u{301}"))
        );
    }

    #[test]
    fn numbers_and_ids_stay_whole() {
        for (text, budget, head) in [
            ("ver SITE-002", 8, "ver"),
            ("(SITE-002)(SITE-003)", 16, "(SITE-002)("),
            ("total=1.234,5 h", 10, "total="),
            ("total 1 234 567", 12, "total"),
            ("fono +56 9 8000 0022", 14, "fono"),
            ("x;T-10001;T-10002", 13, "x;T-10001;"),
            ("abc;CU-AN-01", 10, "abc;"),
            ("sube:25%", 7, "sube:"),
        ] {
            assert_eq!(cut(text, budget).unwrap().0, head, "{text}");
        }
    }

    #[test]
    fn what_has_no_good_place_is_cut_all_the_same() {
        let digits = "1".repeat(50);
        assert_eq!(cut(&digits, 20).unwrap().0.len(), 20);
        let family = "👨‍👩‍👧‍👦";
        assert_eq!(cut(&family.repeat(2), 15).unwrap(), (family, family));
        assert_eq!(cut("👍👍", 1).unwrap(), ("👍", "👍"));
        assert_eq!(units("é👍"), 3);
    }
}
