//! What a conversation remembers between two turns: the last question, what was shown, what is
//! still to be shown, and the question of ours that waits for its answer.
//!
//! It is kept as JSON by whoever keeps conversations. What cannot be read is forgotten: a new
//! version of the program must never stumble over an old memory.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::geo::Point;
use crate::format::whatsapp::Rest;
use crate::guardrails::write::Pending;

/// A tool with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// What was last answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Last {
    /// The call that answered; of a recipe, its leading one.
    pub call: Call,
    /// The recipe, when it was one.
    #[serde(default)]
    pub recipe: Option<String>,
}

/// Rows beyond what was fetched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beyond {
    /// The call that fetches them, offset included.
    pub call: Call,
}

/// A choice offered by number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What was shown.
    pub label: String,
    /// What it does.
    pub does: Does,
}

/// What a choice does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// Runs a call; what it still needs is asked.
    Call(Call),
    /// Is read as if it had been written.
    Say(String),
}

/// A question of ours for one missing argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// The call it is for.
    pub call: Call,
    /// The parameter.
    pub param: String,
    /// What it is (`site`, `task`, `location`, …).
    pub entity: String,
}

/// Where somebody said they are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Where.
    pub point: Point,
    /// When, in business time.
    pub at: Timestamp,
}

/// The memory of one conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// What was last answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Last>,
    /// The ids that the numbers of the last list stand for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<Option<String>>,
    /// The same of the list before, while the last answer holds none of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Option<String>>,
    /// The one record last talked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Pages still to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
    /// Rows still to be fetched after them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond: Option<Beyond>,
    /// Choices offered by number in the last answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub menu: Vec<Choice>,
    /// What we asked for in the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asking: Option<Asking>,
    /// Where the person last said they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// A write that waits for a yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    /// Whether its preview or its reminder was the last thing answered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pending_shown: bool,
}

impl Memory {
    /// Reads a memory; what cannot be read is forgotten.
    pub fn read(value: &Value) -> Self {
        Self::deserialize(value).unwrap_or_default()
    }

    /// The memory as it is kept.
    pub fn keep(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

/// Does a question of ours wait for its answer in this memory?
pub fn question_is_open(memory: &Value) -> bool {
    let memory = Memory::read(memory);
    memory.asking.is_some() || !memory.menu.is_empty() || memory.pending.is_some()
}

/// The id of what the conversation is on, in this memory.
pub fn subject(memory: &Value) -> Option<String> {
    Memory::read(memory).subject
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_memory_comes_back_as_it_was_and_a_strange_one_is_forgotten() {
        let memory = Memory {
            subject: Some("SITE-002".to_owned()),
            menu: vec![Choice {
                label: "x".to_owned(),
                does: Does::Say("mis tareas".to_owned()),
            }],
            ..Memory::default()
        };
        assert_eq!(Memory::read(&memory.keep()), memory);
        for strange in [
            json!(null),
            json!(7),
            json!({ "menu": 3 }),
            json!({ "subject": { "a": 1 } }),
        ] {
            assert_eq!(Memory::read(&strange), Memory::default());
        }
        assert_eq!(Memory::default().keep(), json!({}));
    }
}
