//! From text to features: words, their letters and what they mean, each hashed to a number.
//!
//! The text comes with its entities already masked (`estado sitio xsite`), so that what is
//! learnt of one site holds for all.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::lexicon::lexicon;

/// The masks that stand for entities.
pub mod mask {
    /// A site.
    pub const SITE: &str = "xsite";
    /// A task.
    pub const TASK: &str = "xtask";
    /// A zone.
    pub const ZONE: &str = "xzone";
    /// A comuna or region.
    pub const PLACE: &str = "xplace";
    /// A person.
    pub const PERSON: &str = "xperson";
    /// A day or a span of days.
    pub const DATE: &str = "xdate";
    /// A crew.
    pub const CREW: &str = "xcrew";
    /// An alarm.
    pub const ALARM: &str = "xalarm";
    /// An asset, access or monitor.
    pub const RECORD: &str = "xrecord";
    /// Any other figure.
    pub const NUMBER: &str = "xnum";
    /// What stands for each in the example files.
    pub const PLACES: [(&str, &str); 10] = [
        ("{site}", SITE),
        ("{task}", TASK),
        ("{zone}", ZONE),
        ("{place}", PLACE),
        ("{person}", PERSON),
        ("{date}", DATE),
        ("{crew}", CREW),
        ("{alarm}", ALARM),
        ("{record}", RECORD),
        ("{n}", NUMBER),
    ];
    /// Every mask but the figure's.
    pub const ENTITIES: [&str; 9] = [SITE, TASK, ZONE, PLACE, PERSON, DATE, CREW, ALARM, RECORD];
}

/// Words of a text longer than this are not looked at: a question is short.
pub const WORDS_MAX: usize = 80;

/// Splits a folded text into words: shorthand written out, stretched letters shrunk
/// (`holaaaa`), figures masked.
pub fn words(folded: &str) -> Vec<String> {
    let mut words = raw_words(folded);
    mask_figures(&mut words);
    words
}

/// The same with the figures as they stand.
pub fn raw_words(folded: &str) -> Vec<String> {
    let mut words = Vec::new();
    for raw in folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
    {
        let word = shrunk(raw);
        match lexicon().expand(&word) {
            Some(meant) => words.extend(meant.split(' ').filter(|w| !w.is_empty()).map(str::to_owned)),
            None => words.push(word),
        }
    }
    words
}

/// Puts the mask of a figure in place of every word of digits.
pub fn mask_figures(words: &mut [String]) {
    for word in words {
        if word.bytes().all(|b| b.is_ascii_digit()) {
            mask::NUMBER.clone_into(word);
        }
    }
}

/// Three or more of the same letter become one.
fn shrunk(word: &str) -> String {
    if word.bytes().any(|b| b.is_ascii_digit()) {
        return word.to_owned();
    }
    let mut out = String::with_capacity(word.len());
    let mut run = (None, 0_u32);
    for c in word.chars() {
        run = if run.0 == Some(c) {
            (run.0, run.1 + 1)
        } else {
            (Some(c), 1)
        };
        match run.1 {
            1 | 2 => out.push(c),
            3 => _ = out.pop(),
            _ => {}
        }
    }
    out
}

/// One group of features is normalised on its own, so that long words don't drown meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Two to four letters within a word.
    Letters,
    /// A word, or two in a row.
    Words,
    /// What a word means, or two such in a row.
    Concepts,
}

impl Group {
    /// Every group.
    pub const ALL: [Self; 3] = [Self::Letters, Self::Words, Self::Concepts];
}

/// The features of a text, by group; a feature may stand more than once.
pub fn features(words: &[String]) -> Vec<(Group, u64)> {
    let mut found = Vec::with_capacity(words.len() * 14);
    let mut letters: Vec<char> = Vec::with_capacity(24);
    for word in words {
        found.push((Group::Words, hash(&(1_u8, word))));
        if word.starts_with('x') && (mask::ENTITIES.contains(&word.as_str()) || word == mask::NUMBER) {
            continue;
        }
        letters.clear();
        letters.push(' ');
        letters.extend(word.chars().take(20));
        letters.push(' ');
        for size in 2..=4 {
            for gram in letters.windows(size) {
                found.push((Group::Letters, hash(&(2_u8, gram))));
            }
        }
    }
    for pair in words.windows(2) {
        found.push((Group::Words, hash(&(3_u8, pair))));
    }
    let mut before: Option<&str> = None;
    for word in words {
        let mut first = None;
        if mask::ENTITIES.contains(&word.as_str()) {
            first = Some(word.as_str());
            found.push((Group::Concepts, hash(&(4_u8, word.as_str()))));
        }
        for concept in lexicon().concepts_of(word) {
            first = first.or(Some(concept));
            found.push((Group::Concepts, hash(&(4_u8, concept))));
        }
        if let (Some(one), Some(two)) = (before, first) {
            found.push((Group::Concepts, hash(&(5_u8, one, two))));
        }
        before = first.or(before);
    }
    found
}

/// `DefaultHasher::new` has fixed keys: the same build always learns the same.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shorthand_is_written_out_and_stretched_letters_shrink() {
        assert_eq!(
            words("xq ta caio el siteee 2"),
            ["por", "que", "esta", "caido", "el", "site", "xnum"]
        );
    }

    #[test]
    fn an_entity_is_one_feature_and_no_letters() {
        let found = features(&["xsite".to_owned()]);
        assert_eq!(found.len(), 2);
    }
}
