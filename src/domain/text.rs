//! Folding text for comparison: lower case, no accents, one space.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// Lower case without accents; white space runs become one space, ends are trimmed.
/// `  Región   METROPOLITANA ` to `region metropolitana`; ñ becomes n.
pub fn fold(text: &str) -> String {
    let mut folded = Folded {
        text: String::with_capacity(text.len()),
        pending_space: false,
    };
    for c in text.chars() {
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else {
            // Character by character: the marks that NFD would reorder are dropped anyway.
            decompose_canonical(c, |part| {
                if !is_combining_mark(part) {
                    part.to_lowercase().for_each(|lower| folded.push(lower));
                }
            });
        }
    }
    folded.text
}

struct Folded {
    text: String,
    pending_space: bool,
}

impl Folded {
    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.pending_space = !self.text.is_empty();
        } else {
            if std::mem::take(&mut self.pending_space) {
                self.text.push(' ');
            }
            self.text.push(c);
        }
    }
}

/// Do the words of `wanted` begin words of `name`, in any order? Both folded by the caller.
/// `mart` and `jorge mart` match `jorge martinez`; an empty `wanted` matches nothing.
pub fn words_begin(name: &str, wanted: &str) -> bool {
    let mut wanted = wanted.split(' ').filter(|w| !w.is_empty()).peekable();
    wanted.peek().is_some() && wanted.all(|w| name.split(' ').any(|n| n.starts_with(w)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_drops_case_accents_and_extra_space() {
        assert_eq!(fold("  Región   METROPOLITANA ñuble "), "region metropolitana nuble");
        // The same written with combining marks; a capital that lower-cases to two characters.
        assert_eq!(fold("re\u{301}gion N\u{303}UBLE \u{130}x"), "region nuble ix");
    }

    #[test]
    fn names_match_by_the_beginnings_of_words() {
        assert!(words_begin("jorge martinez", "mart"));
        assert!(words_begin("jorge martinez", "martinez jorge"));
        assert!(!words_begin("jorge martinez", "tinez"));
        assert!(!words_begin("jorge martinez", ""));
    }
}
