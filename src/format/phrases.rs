//! The Spanish that people read: `templates/es/*.toml`, embedded and checked once.
//!
//! A key is the file's name and the dotted path in it (`tools.site.tasks`). Its value is a
//! string with `{name}` places (`{{` is a brace), a table of `one` and `other` (and perhaps
//! `zero`) of which the argument `n` chooses, or a list of strings.

use std::collections::HashMap;
use std::fmt::{Display, Write};
use std::sync::LazyLock;

use toml::{Table, Value};

/// The embedded files, by the first part of their keys.
const FILES: [(&str, &str); 6] = [
    ("tools", include_str!("../../templates/es/tools.toml")),
    ("engine", include_str!("../../templates/es/engine.toml")),
    ("relay", include_str!("../../templates/es/relay.toml")),
    ("format", include_str!("../../templates/es/format.toml")),
    ("admin", include_str!("../../templates/es/admin.toml")),
    ("messages", include_str!("../../templates/es/messages.toml")),
];

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| match Phrases::read(&FILES) {
    Ok(phrases) => phrases,
    // The files are embedded, so a test finds this long before anybody runs it.
    Err(error) => panic!("the embedded phrases are broken: {error}"),
});

/// The phrases of this build.
pub fn phrases() -> &'static Phrases {
    &PHRASES
}

/// Every phrase, by its key.
pub struct Phrases {
    by_key: HashMap<String, Phrase>,
}

enum Phrase {
    Plain(Template),
    Counted {
        zero: Option<Template>,
        one: Template,
        other: Template,
    },
    List(Vec<String>),
}

/// A text cut at its places.
struct Template(Vec<Piece>);

enum Piece {
    Text(String),
    Place(String),
}

/// Why the phrases can't be read.
#[derive(Debug, thiserror::Error)]
enum PhraseError {
    #[error("{file}.toml: {source}")]
    Toml { file: String, source: toml::de::Error },
    #[error("{key}: {what}")]
    Value { key: String, what: &'static str },
}

impl Phrases {
    /// The phrase under `key` with its places filled; a counted one is chosen by `n`.
    ///
    /// A missing key or argument panics in debug builds and in tests; a release prints the
    /// key, or the place as written, since a poor answer is better than none.
    pub fn say(&self, key: &str, args: &[(&str, &dyn Display)]) -> String {
        let template = match self.by_key.get(key) {
            Some(Phrase::Plain(template)) => template,
            Some(Phrase::Counted { zero, one, other }) => match argument(args, "n").map(ToString::to_string).as_deref()
            {
                Some("0") => zero.as_ref().unwrap_or(other),
                Some("1") => one,
                Some(_) => other,
                None => {
                    missing(key, "n");
                    other
                }
            },
            Some(Phrase::List(_)) | None => {
                missing(key, "a phrase");
                return key.to_owned();
            }
        };
        template.fill(key, args)
    }

    /// The strings of the list under `key`.
    pub fn list(&self, key: &str) -> &[String] {
        match self.by_key.get(key) {
            Some(Phrase::List(list)) => list,
            Some(_) | None => {
                missing(key, "a list");
                &[]
            }
        }
    }

    /// Is there a phrase under `key`?
    pub fn has(&self, key: &str) -> bool {
        self.by_key.contains_key(key)
    }

    fn read(files: &[(&str, &str)]) -> Result<Self, PhraseError> {
        let mut by_key = HashMap::new();
        for (name, text) in files {
            let table: Table = toml::from_str(text).map_err(|source| PhraseError::Toml {
                file: (*name).to_owned(),
                source,
            })?;
            collect(name, &table, &mut by_key)?;
        }
        Ok(Self { by_key })
    }
}

fn collect(path: &str, table: &Table, by_key: &mut HashMap<String, Phrase>) -> Result<(), PhraseError> {
    for (name, value) in table {
        let key = format!("{path}.{name}");
        let broken = |what| PhraseError::Value { key: key.clone(), what };
        let phrase = match value {
            Value::String(text) => Phrase::Plain(Template::parse(text).map_err(broken)?),
            Value::Array(items) => {
                let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
                Phrase::List(
                    texts
                        .collect::<Option<_>>()
                        .ok_or_else(|| broken("a list holds strings only"))?,
                )
            }
            Value::Table(inner) => match counted(inner).map_err(broken)? {
                Some(phrase) => phrase,
                None => {
                    collect(&key, inner, by_key)?;
                    continue;
                }
            },
            _ => return Err(broken("a phrase is a string, a list or a table")),
        };
        by_key.insert(key, phrase);
    }
    Ok(())
}

/// A table of nothing but `one`, `other` and `zero` is one phrase; any other is a folder.
fn counted(table: &Table) -> Result<Option<Phrase>, &'static str> {
    let forms = ["zero", "one", "other"];
    if !table.contains_key("other")
        || !table
            .iter()
            .all(|(key, value)| forms.contains(&key.as_str()) && value.is_str())
    {
        return Ok(None);
    }
    let form = |name: &str| table.get(name).and_then(Value::as_str).map(Template::parse).transpose();
    let other = form("other")?.ok_or("a counted phrase needs `other`")?;
    let one = form("one")?.ok_or("a counted phrase needs `one`")?;
    Ok(Some(Phrase::Counted {
        zero: form("zero")?,
        one,
        other,
    }))
}

fn argument<'a>(args: &[(&str, &'a dyn Display)], name: &str) -> Option<&'a dyn Display> {
    args.iter().find(|(given, _)| *given == name).map(|(_, value)| *value)
}

/// Loud where a developer sees it, quiet where a technician would.
fn missing(key: &str, what: &str) {
    if cfg!(debug_assertions) {
        panic!("the phrase `{key}` has no {what}");
    }
}

impl Template {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '{' if rest.next_if_eq(&'{').is_some() => plain.push('{'),
                '}' if rest.next_if_eq(&'}').is_some() => plain.push('}'),
                '{' => {
                    let mut name = String::new();
                    loop {
                        match rest.next() {
                            Some('}') => break,
                            Some(c) if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
                            _ => return Err("a place is {name}, and a brace is written twice"),
                        }
                    }
                    if !plain.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut plain)));
                    }
                    pieces.push(Piece::Place(name));
                }
                '}' => return Err("a brace is written twice"),
                c => plain.push(c),
            }
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Self(pieces))
    }

    fn fill(&self, key: &str, args: &[(&str, &dyn Display)]) -> String {
        let mut filled = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                // Writing into a String can't fail; a Display that does leaves its place empty.
                Piece::Place(name) => match argument(args, name) {
                    Some(value) => _ = write!(filled, "{value}"),
                    None => {
                        missing(key, name);
                        _ = write!(filled, "{{{name}}}");
                    }
                },
            }
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn sample(text: &str) -> Phrases {
        Phrases::read(&[("test", text)]).unwrap()
    }

    #[test]
    fn a_phrase_is_filled_and_counted() {
        let phrases = sample(
            "hello = \"Hola, {name}: {{listo}}\"\nlist = [\"a\", \"b\"]\n[site]\ntasks = {one = \"{n} tarea\", other = \"{n} tareas\", zero = \"sin tareas\"}",
        );
        assert_eq!(phrases.say("test.hello", &[("name", &"Ana")]), "Hola, Ana: {listo}");
        let said: Vec<String> = [0, 1, 3]
            .iter()
            .map(|n| phrases.say("test.site.tasks", &[("n", n)]))
            .collect();
        assert_eq!(said, ["sin tareas", "1 tarea", "3 tareas"]);
        assert_eq!(phrases.list("test.list"), ["a", "b"]);
        assert!(phrases.has("test.hello") && !phrases.has("test.site"));
    }

    #[test]
    #[should_panic(expected = "the phrase `test.nothing`")]
    fn a_missing_key_is_loud_in_debug() {
        sample("").say("test.nothing", &[]);
    }

    #[test]
    fn broken_phrases_name_their_key() {
        for text in ["a = 1", "a = \"{b\"", "a = \"b}\"", "a = [1]", "a = {other = \"x\"}"] {
            let error = Phrases::read(&[("test", text)]).err().unwrap().to_string();
            assert!(error.starts_with("test.a: "), "{error}");
        }
    }

    #[test]
    fn every_key_that_the_sources_say_exists() {
        let call = regex::Regex::new(r#"(say|list)\(\s*"([a-z]+(?:\.[a-z0-9_]+)+)""#).unwrap();
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut unknown = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let source = std::fs::read_to_string(&path).unwrap();
                    for found in call.captures_iter(&source) {
                        // Some callers have a `say` of their own that adds the file's name.
                        let key = &found[2];
                        let known =
                            phrases().has(key) || FILES.iter().any(|(file, _)| phrases().has(&format!("{file}.{key}")));
                        if !known && !key.starts_with("test.") {
                            unknown.push(format!("{}: {}", path.display(), key));
                        }
                    }
                }
            }
        }
        assert!(unknown.is_empty(), "{unknown:#?}");
    }
}
