//! The words of an incident and what they point to: `signs.toml`, embedded and read once.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::sets::{AlarmCategory, Criticality, WorkType};

/// What a group of words points to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sign {
    words: Vec<String>,
    pub(super) category: Option<AlarmCategory>,
    pub(super) work_type: Option<WorkType>,
    pub(super) criticality: Option<Criticality>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Signs {
    sign: Vec<Sign>,
}

static SIGNS: LazyLock<Vec<Sign>> = LazyLock::new(|| match toml::from_str::<Signs>(include_str!("signs.toml")) {
    Ok(signs) => signs.sign,
    // The file is embedded, so a test finds this long before anybody runs it.
    Err(error) => panic!("the embedded signs are broken: {error}"),
});

/// The signs in a folded text, in the order of the file, each with the words that gave it away.
pub(super) fn found_in(folded: &str) -> Vec<(&'static Sign, String)> {
    let words: Vec<&str> = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    SIGNS
        .iter()
        .filter_map(|sign| {
            let given_away = sign.words.iter().find_map(|phrase| said(phrase, &words))?;
            Some((sign, given_away))
        })
        .collect()
}

/// The words of the text that a phrase matches, if they stand there and are not denied.
fn said(phrase: &str, words: &[&str]) -> Option<String> {
    let stems: Vec<&str> = phrase.split(' ').collect();
    // A short stem is a word of its own: *tot* is no *total*, *pop* no *popular*.
    let begins = |word: &str, stem: &str| {
        if stem.len() <= 3 {
            word == stem
        } else {
            word.starts_with(stem)
        }
    };
    let at = words
        .windows(stems.len())
        .position(|window| window.iter().zip(&stems).all(|(word, stem)| begins(word, stem)))?;
    // *no hay humo*, *sin intrusos*
    let denied = words
        .iter()
        .take(at)
        .rev()
        .take(2)
        .any(|before| matches!(*before, "no" | "sin" | "ningun" | "ninguna"));
    let matched: Vec<&str> = words.iter().skip(at).take(stems.len()).copied().collect();
    (!denied).then(|| matched.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_a_row_are_found_by_their_beginnings_unless_denied() {
        let words = |text: &str| -> Vec<String> { found_in(text).into_iter().map(|(_, words)| words).collect() };
        assert_eq!(words("se robaron las baterias"), ["robaron", "baterias"]);
        assert_eq!(words("no hay humo en la sala"), Vec::<String>::new());
        assert_eq!(words("no hay luz"), ["no hay luz"]);
        assert_eq!(words("total de popularidad"), Vec::<String>::new());
    }
}
