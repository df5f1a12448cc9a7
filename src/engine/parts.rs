//! The parts of a question joined by *y*: `acceso y alarmas de xsite`.

use crate::planner::features::mask;
use crate::planner::lexicon::is_common;

use super::extract::{Found, Told, part};

/// A part of a question.
pub struct Part {
    /// It names something itself.
    pub named: bool,
    /// What it says.
    pub found: Found,
}

/// Is it an id with its noun and nothing else?
pub fn names_only(part: &Found) -> bool {
    let has = |mask: &str| part.words.iter().any(|word| word == mask);
    let noun = |word: &str| {
        (has(mask::SITE) && matches!(word, "sitio" | "sitios" | "torre" | "site"))
            || (has(mask::TASK) && matches!(word, "tarea" | "tareas" | "ticket" | "task"))
    };
    part.words
        .iter()
        .all(|word| is_common(word) || mask::ENTITIES.contains(&word.as_str()) || noun(word))
}

/// `acceso y alarmas de xsite`: its parts, one that names nothing with what the others name.
pub fn joined_parts(found: &Found) -> Option<Vec<Part>> {
    let joins = |word: &String| matches!(word.as_str(), "y" | "e" | "and" | "tambien");
    let lengths: Vec<usize> = found.words.split(joins).map(<[_]>::len).collect();
    if lengths.len() < 2 || found.figures.len() != found.words.len() {
        return None;
    }
    let parts: Vec<&[String]> = found.words.split(joins).collect();
    let mut figures = found.figures.split(joins);
    let entity = |word: &&String| mask::ENTITIES.contains(&word.as_str());
    let says = |words: &[String]| words.iter().any(|word| !is_common(word) && word != mask::NUMBER);
    // *del norte y del sur*, *estado del sitio 1 y del 2*: one question.
    let again = parts.iter().skip(1).any(|words| {
        words
            .iter()
            .all(|word| is_common(word) || mask::ENTITIES.contains(&word.as_str()))
            && words
                .iter()
                .any(|word| entity(&word) && parts.first().is_some_and(|first| first.contains(word)))
    });
    if again || !parts.iter().all(|words| says(words)) {
        return None;
    }
    let mut told = Told::default();
    let split = parts.iter().enumerate().map(|(at, words)| {
        let mut part_figures = figures.next().unwrap_or_default().to_vec();
        let mut part_words = words.to_vec();
        // *mis tareas y …*: whose they are is said; what the others name is not theirs.
        let own = words
            .iter()
            .any(|word| matches!(word.as_str(), "mis" | "mias" | "my" | "minhas"));
        if !own && !words.iter().any(|word| entity(&word)) {
            let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
            let missing: Vec<String> = others
                .flat_map(|(_, words)| words.iter())
                .filter(entity)
                .cloned()
                .collect();
            part_words.extend(missing.iter().cloned());
            part_figures.extend(missing);
        }
        (!words.is_empty()).then(|| Part {
            named: words.iter().any(|word| entity(&word)),
            found: part(found, part_words, part_figures, &mut told),
        })
    });
    split.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::fold;

    #[test]
    fn two_halves_share_the_record_that_one_of_them_names() {
        let words: Vec<String> = fold("acceso y alarmas de xsite")
            .split(' ')
            .map(str::to_owned)
            .collect();
        let found = Found {
            figures: words.clone(),
            words,
            ..Found::default()
        };
        let parts = joined_parts(&found).unwrap();
        assert_eq!(parts[0].found.words.join(" "), "acceso xsite");
        assert_eq!(parts[1].found.words.join(" "), "alarmas de xsite");
    }
}
