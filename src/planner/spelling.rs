//! Typing errors: a word that nobody taught is read as the known word it sounds like, or the
//! one that is a single slip away.

use std::collections::{HashMap, HashSet};

use super::lexicon::{is_common, lexicon};

/// Shorter words are left as they are: too many are one slip from another.
const LETTERS_MIN: usize = 5;

/// The words worth knowing.
pub struct Spelling {
    known: HashSet<String>,
    by_sound: HashMap<String, String>,
    by_length: HashMap<usize, Vec<String>>,
}

impl Spelling {
    /// Learns the words of the examples.
    pub fn learn<'a>(words: impl Iterator<Item = &'a String>) -> Self {
        let mut spelling = Self {
            known: HashSet::new(),
            by_sound: HashMap::new(),
            by_length: HashMap::new(),
        };
        for word in words {
            if spelling.known.insert(word.clone()) && word.len() >= LETTERS_MIN && !is_common(word) {
                spelling.by_sound.entry(sound(word)).or_insert_with(|| word.clone());
                spelling.by_length.entry(word.len()).or_default().push(word.clone());
            }
        }
        spelling
    }

    /// Is this one of the words taught?
    pub fn knows(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    /// The known word that was meant; None when the word is known, short or far from all.
    pub fn mend(&self, word: &str) -> Option<&String> {
        if word.len() < LETTERS_MIN || self.knows(word) || lexicon().concepts_of(word).next().is_some() {
            return None;
        }
        self.by_sound.get(&sound(word)).or_else(|| {
            let lengths = word.len() - 1..=word.len() + 1;
            lengths
                .filter_map(|length| self.by_length.get(&length))
                .flatten()
                .find(|known| one_slip(word.as_bytes(), known.as_bytes()))
        })
    }
}

/// How a word sounds in the field: b and v, s, c and z, ll and y, k and qu are one; h is silent.
fn sound(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let mut out = String::with_capacity(word.len());
    for (at, c) in letters.iter().enumerate() {
        let next = letters.get(at + 1).copied();
        let said = match c {
            'v' => 'b',
            'z' => 's',
            'c' if matches!(next, Some('e' | 'i')) => 's',
            'c' if next == Some('h') => 'x',
            'c' | 'q' => 'k',
            'u' if at > 0 && letters.get(at - 1) == Some(&'q') => continue,
            'h' => continue,
            'y' => 'i',
            'l' if next == Some('l') => 'i',
            'l' if at > 0 && letters.get(at - 1) == Some(&'l') => continue,
            'g' if matches!(next, Some('e' | 'i')) => 'j',
            other => *other,
        };
        if !out.ends_with(said) {
            out.push(said);
        }
    }
    out
}

/// Is one letter missing, added, wrong or swapped with its neighbour? The first letter is trusted.
pub fn one_slip(a: &[u8], b: &[u8]) -> bool {
    if a.first() != b.first() {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    match (a, b) {
        ([], [_] | []) | ([_], []) => true,
        ([_, x @ ..], [_, y @ ..]) if x == y => true,
        ([_, x @ ..], y) if x == y => true,
        (x, [_, y @ ..]) if x == y => true,
        ([p, q, x @ ..], [r, s, y @ ..]) => p == s && q == r && x == y,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Spelling {
        let words: Vec<String> = ["estancadas", "alarmas", "criticas", "acceso", "cerca", "distancia"]
            .map(str::to_owned)
            .to_vec();
        Spelling::learn(words.iter())
    }

    #[test]
    fn a_slip_or_a_word_by_its_sound_is_mended() {
        let spelling = sample();
        for (typed, meant) in [
            ("alrmas", "alarmas"),
            ("zerca", "cerca"),
            ("distansia", "distancia"),
            ("acesso", "acceso"),
        ] {
            let read = spelling.mend(typed).map_or(typed, String::as_str);
            let meaning = |word: &str| lexicon().concepts_of(word).next().map(str::to_owned);
            assert!(
                read == meant || meaning(read) == meaning(meant),
                "{typed} read as {read}"
            );
        }
    }

    #[test]
    fn what_is_known_short_or_far_stays() {
        let spelling = sample();
        for word in ["alarmas", "red", "perro", "montaña"] {
            assert_eq!(spelling.mend(word), None, "{word}");
        }
    }
}
