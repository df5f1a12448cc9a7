//! What the engine answers, before any channel gives it a form.
//!
//! An `Answer` is lines that are always shown (`lead`), list items ranked by severity
//! (`items`), and closing remarks (`notes`). `format/` turns the same value into WhatsApp
//! text with pages and into Markdown.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::sets::System;

/// How much a line matters; ranked, most first. What is cut is cut from the end of this rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Someone must act now.
    Critical,
    /// Soon.
    High,
    /// The ordinary answer.
    Normal,
    /// Worth knowing.
    Low,
}

/// A line that is always shown and never cut for something lesser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// One line of plain text, without any markup.
    pub text: String,
    /// Shown in bold where the channel can.
    pub title: bool,
}

/// One element of a list: cut whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its text; may hold line breaks, no markup.
    pub text: String,
    /// What it counts for when space is short.
    pub severity: Severity,
    /// The heading it stands under; a change of heading prints it.
    pub group: Option<String>,
    /// The id that *la tercera* would mean (`T-10001`), in canonical form.
    pub subject: Option<String>,
    /// Whether it takes part in the numbering of the list.
    pub numbered: bool,
}

/// Where figures come from and how old they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The system.
    pub system: System,
    /// When its data is from.
    pub as_of: Timestamp,
    /// False when the system does not answer and this is its last picture.
    pub live: bool,
    /// Since when it does not answer, where that is known.
    #[serde(default)]
    pub down_since: Option<Timestamp>,
}

/// A complete answer, the same for every channel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Always shown, in this order, before the items.
    pub lead: Vec<Line>,
    /// The list, in the order of the tool; the formatter ranks it by severity, stably.
    pub items: Vec<Item>,
    /// Rows of the same list that were shown before these: the numbers go on from there.
    #[serde(default)]
    pub before: usize,
    /// Rows that match beyond those in `items` (the tool's limit); `MÁS` fetches them.
    pub beyond: u64,
    /// Closing lines: hints, what was counted.
    pub notes: Vec<String>,
    /// The footer line with sources and times, already in the reader's language; empty for none.
    pub footer: String,
    /// Where the figures come from.
    pub sources: Vec<Source>,
    /// What the reader may ask next, short enough for a button (20 characters).
    pub suggestions: Vec<String>,
}

impl Answer {
    /// An answer of one paragraph.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            lead: vec![Line {
                text: text.into(),
                title: false,
            }],
            ..Self::default()
        }
    }

    /// Adds a plain line to the lead.
    pub fn line(mut self, text: impl Into<String>) -> Self {
        self.lead.push(Line {
            text: text.into(),
            title: false,
        });
        self
    }

    /// Adds a title line to the lead.
    pub fn title(mut self, text: impl Into<String>) -> Self {
        self.lead.push(Line {
            text: text.into(),
            title: true,
        });
        self
    }
}
