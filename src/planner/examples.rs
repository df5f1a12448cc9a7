//! What people say for each tool: the example files beside the tools, and what no tool answers.

use serde::Deserialize;

use super::features::{self, mask};
use crate::domain::text::fold;

/// The example files, one per module of the catalogue.
const FILES: &[(&str, &str)] = &[
    ("tasks", include_str!("../tools/examples/tasks.toml")),
    ("tasks_extra", include_str!("../tools/examples/tasks_extra.toml")),
    ("kpis", include_str!("../tools/examples/kpis.toml")),
    ("field", include_str!("../tools/examples/field.toml")),
    ("panel", include_str!("../tools/examples/panel.toml")),
    ("sites", include_str!("../tools/examples/sites.toml")),
    ("analysis", include_str!("../tools/examples/analysis.toml")),
    ("network", include_str!("../tools/examples/network.toml")),
    ("email", include_str!("../tools/examples/email.toml")),
    ("whatsapp", include_str!("../tools/examples/whatsapp.toml")),
    ("health", include_str!("../tools/examples/health.toml")),
    ("monitors", include_str!("../tools/examples/monitors.toml")),
    ("quick", include_str!("../tools/examples/quick.toml")),
];

const BACKGROUND: &str = include_str!("background.toml");

/// The examples can't be read.
#[derive(Debug, thiserror::Error)]
#[error("the examples of `{file}` are broken")]
pub struct BadExamples {
    /// Which file.
    pub file: &'static str,
    /// Why.
    #[source]
    pub source: toml::de::Error,
}

/// What a text may be asking for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// A tool, by name.
    Tool(String),
    /// Something of the trade that no tool of this build answers.
    Later {
        /// The group's name, which is the key of its phrase.
        name: String,
        /// The tools offered instead.
        near: Vec<String>,
    },
    /// Something else altogether.
    Off,
}

/// One class with its examples, already cut into words.
#[derive(Debug, Clone)]
pub struct Taught {
    /// What they ask for.
    pub class: Class,
    /// The examples' words.
    pub examples: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct Background {
    group: Vec<BackgroundGroup>,
}

#[derive(Deserialize)]
struct BackgroundGroup {
    name: String,
    near: Vec<String>,
    examples: Vec<String>,
}

/// The name of the background group that is no talk of the trade.
const OFF: &str = "off";

/// Every class with its examples, tools first, in the order of the files.
pub fn taught() -> Result<Vec<Taught>, BadExamples> {
    let mut classes = Vec::new();
    for (file, text) in FILES {
        let table: toml::Table = toml::from_str(text).map_err(|source| BadExamples { file, source })?;
        for (tool, examples) in table {
            let texts = examples
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(toml::Value::as_str);
            classes.push(Taught {
                class: Class::Tool(tool),
                examples: texts.map(example_words).collect(),
            });
        }
    }
    let background: Background = toml::from_str(BACKGROUND).map_err(|source| BadExamples {
        file: "background",
        source,
    })?;
    classes.extend(background.group.into_iter().map(|group| Taught {
        examples: group.examples.iter().map(|text| example_words(text)).collect(),
        class: match group.name.as_str() {
            OFF => Class::Off,
            _ => Class::Later {
                name: group.name,
                near: group.near,
            },
        },
    }));
    Ok(classes)
}

/// The words of an example, its places as masks.
fn example_words(text: &str) -> Vec<String> {
    let mut masked = text.to_owned();
    for (place, mask) in mask::PLACES {
        masked = masked.replace(place, mask);
    }
    features::words(&fold(&masked))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_tool_has_twelve_examples_and_none_stands_twice() {
        let mut seen: HashMap<Vec<String>, Class> = HashMap::new();
        for taught in taught().unwrap() {
            assert!(
                taught.examples.len() >= 12,
                "{:?} has only {}",
                taught.class,
                taught.examples.len()
            );
            for example in taught.examples {
                assert!(!example.is_empty());
                let text = example.join(" ");
                if let Some(other) = seen.insert(example, taught.class.clone()) {
                    panic!("`{text}` stands in {other:?} and {:?}", taught.class);
                }
            }
        }
    }
}
