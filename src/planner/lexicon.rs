//! The words of the field: chat shorthand, and stems that mean the same (`lexicon.toml`).

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Words so common that they say nothing of what is asked; folded.
const COMMON: &[&str] = &[
    "a", "al", "algun", "alguna", "alguno", "and", "aqui", "at", "con", "cual", "cuales", "da", "dame", "de", "del",
    "dime", "do", "e", "el", "ella", "en", "eres", "es", "esa", "ese", "eso", "esta", "estan", "este", "esto", "estoy",
    "favor", "for", "ha", "han", "hay", "i", "in", "is", "la", "las", "le", "les", "lo", "los", "me", "mi", "mis",
    "muy", "no", "nos", "o", "of", "on", "or", "para", "pero", "por", "porque", "puedes", "que", "quiero", "se", "ser",
    "si", "sin", "son", "su", "sus", "te", "tengo", "the", "tiene", "to", "tu", "un", "una", "uno", "y", "ya", "yo",
    "tem", "alguma", "algum", "os", "as", "em", "na", "nas", "com", "qual", "quais", "are", "there", "any", "my", "we",
    "have", "has", "it", "you", "can", "hola", "gracias", "necesito", "saber", "hoy", "what", "um", "uma",
];

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| match Lexicon::read(include_str!("lexicon.toml")) {
    Ok(lexicon) => lexicon,
    // The file is embedded, so a test finds this long before anybody runs it.
    Err(error) => panic!("the embedded lexicon is broken: {error}"),
});

/// The lexicon of this build.
pub fn lexicon() -> &'static Lexicon {
    &LEXICON
}

/// Shorthand and concepts.
pub struct Lexicon {
    chat: HashMap<String, String>,
    whole: HashMap<String, Vec<u16>>,
    /// Stems by their first two bytes, so that a word is compared with few.
    stems: HashMap<[u8; 2], Vec<(String, u16)>>,
    names: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    chat: HashMap<String, String>,
    concepts: toml::Table,
}

impl Lexicon {
    fn read(text: &str) -> Result<Self, toml::de::Error> {
        let file: File = toml::from_str(text)?;
        let mut lexicon = Self {
            chat: file.chat,
            whole: HashMap::new(),
            stems: HashMap::new(),
            names: Vec::new(),
        };
        for (concept, (name, stems)) in (0_u16..).zip(file.concepts) {
            for stem in stems.as_array().into_iter().flatten().filter_map(toml::Value::as_str) {
                match (stem.strip_suffix('$'), stem.as_bytes()) {
                    (Some(word), _) => lexicon.whole.entry(word.to_owned()).or_default().push(concept),
                    (None, [a, b, ..]) => lexicon
                        .stems
                        .entry([*a, *b])
                        .or_default()
                        .push((stem.to_owned(), concept)),
                    (None, _) => {}
                }
            }
            lexicon.names.push(name);
        }
        Ok(lexicon)
    }

    /// What a word of chat shorthand stands for.
    pub fn expand(&self, word: &str) -> Option<&str> {
        self.chat.get(word).map(String::as_str)
    }

    /// The concepts a folded word belongs to.
    pub fn concepts_of<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        let whole = self.whole.get(word).into_iter().flatten().copied();
        let stems = match word.as_bytes() {
            [a, b, ..] => self.stems.get(&[*a, *b]),
            _ => None,
        };
        let begun = stems
            .into_iter()
            .flatten()
            .filter(move |(stem, _)| word.starts_with(stem.as_str()))
            .map(|(_, concept)| *concept);
        whole
            .chain(begun)
            .filter_map(|concept| self.names.get(usize::from(concept)).map(String::as_str))
    }

    /// Does the word belong to the concept?
    pub fn means(&self, word: &str, concept: &str) -> bool {
        self.concepts_of(word).any(|name| name == concept)
    }
}

/// Does a word carry no meaning of its own?
pub fn is_common(word: &str) -> bool {
    COMMON.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_concepts_by_their_beginning_or_whole() {
        let lexicon = lexicon();
        assert!(lexicon.means("estancadas", "stalled"));
        assert!(lexicon.means("mis", "mine") && !lexicon.means("misma", "mine"));
        assert_eq!(lexicon.expand("xq"), Some("por que"));
    }

    #[test]
    fn every_word_of_the_lexicon_is_folded() {
        let lexicon = lexicon();
        let words = lexicon
            .chat
            .iter()
            .flat_map(|(a, b)| [a, b])
            .chain(lexicon.whole.keys());
        for word in words.chain(lexicon.stems.values().flatten().map(|(stem, _)| stem)) {
            assert_eq!(*word, crate::domain::text::fold(word));
        }
    }
}
