//! What a person wrote, made safe to look at: no control characters, no hidden marks, no end
//! without end. Words stay words: a text that gives orders is data like any other.

/// The text that is read, and whether its end was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clean {
    /// What is read.
    pub text: String,
    /// True when there was more than the limit.
    pub shortened: bool,
}

/// Drops what cannot be seen and cuts at `chars_max` characters.
pub fn clean(text: &str, chars_max: usize) -> Clean {
    let mut seen = text
        .chars()
        .filter(|c| !is_hidden(*c))
        .map(|c| if c == '\t' || c == '\r' { ' ' } else { c });
    let kept: String = seen.by_ref().take(chars_max).collect();
    Clean {
        text: kept.trim().to_owned(),
        shortened: seen.any(|c| !c.is_whitespace()),
    }
}

/// Control characters other than white space, and marks that hide or reorder text. The joiner
/// of emoji stays: without it one picture falls into several.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | '\r' => false,
        '\u{200B}'
        | '\u{200C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}'
        | '\u{FEFF}' => true,
        '\u{E0000}'..='\u{E007F}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_dropped_and_long_text_is_cut() {
        let clean_text = clean("  esta\u{0}do\u{202E} si\u{200B}tio\t2 \u{7}", 4000);
        assert_eq!(
            clean_text,
            Clean {
                text: "estado sitio 2".to_owned(),
                shortened: false
            }
        );
        assert_eq!(
            clean("áéíóú", 3),
            Clean {
                text: "áéí".to_owned(),
                shortened: true
            }
        );
        assert_eq!(clean("\u{1F468}\u{200D}\u{1F527}", 10).text.chars().count(), 3);
    }
}
