//! Folding text for comparison: lower case, no accents, one space.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower case without accents; white space runs become one space, ends are trimmed.
/// `  Región   METROPOLITANA ` to `region metropolitana`; ñ becomes n.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut pending_space = false;
    for c in text
        .nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
    {
        if c.is_whitespace() {
            pending_space = !folded.is_empty();
        } else {
            if std::mem::take(&mut pending_space) {
                folded.push(' ');
            }
            folded.push(c);
        }
    }
    folded
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
    }

    #[test]
    fn names_match_by_the_beginnings_of_words() {
        assert!(words_begin("jorge martinez", "mart"));
        assert!(words_begin("jorge martinez", "martinez jorge"));
        assert!(!words_begin("jorge martinez", "tinez"));
        assert!(!words_begin("jorge martinez", ""));
    }
}
