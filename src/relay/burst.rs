//! Which messages of a burst belong together: the parts that the engine answers one by one.
//!
//! `estado` and, a second later, `sitio 2` are one question; two whole questions that waited
//! together are two, each with its own answer. A photo belongs to the words around it.

use std::time::Duration;

use crate::domain::message::{Inbound, MessageSid};
use crate::engine;

/// Messages that are answered as one.
#[derive(Debug)]
pub struct Part<'m> {
    /// In the order they came, at least one.
    pub messages: Vec<&'m Inbound>,
}

impl<'m> Part<'m> {
    /// What was written, one message a line.
    pub fn text(&self) -> String {
        let lines = self
            .messages
            .iter()
            .map(|m| m.body.trim())
            .filter(|body| !body.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The message that decides where the reply goes.
    pub fn last(&self) -> Option<&'m Inbound> {
        self.messages.last().copied()
    }

    /// The messages answered.
    pub fn sids(&self) -> Vec<MessageSid> {
        self.messages.iter().map(|m| m.sid.clone()).collect()
    }
}

/// Splits the messages of one turn, keeping their order and leaving none out.
pub fn parts(messages: &[Inbound], together_within: Duration) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut open = false;
    for message in messages {
        let whole = is_whole(message);
        let continues = open
            && parts
                .last()
                .and_then(Part::last)
                .is_some_and(|last| near(last, message, together_within));
        match parts.last_mut().filter(|_| continues) {
            Some(part) => part.messages.push(message),
            None => parts.push(Part {
                messages: vec![message],
            }),
        }
        open = !whole;
    }
    parts
}

/// A pressed button or a complete command, without a file.
fn is_whole(message: &Inbound) -> bool {
    message.command.is_some()
        || (message.num_media == 0 && message.pin.is_none() && engine::looks_complete(&message.body))
}

fn near(earlier: &Inbound, later: &Inbound, within: Duration) -> bool {
    let gap = match (earlier.sent_at, later.sent_at) {
        (Some(a), Some(b)) => b.duration_since(a),
        _ => later.received_at.duration_since(earlier.received_at),
    };
    gap.unsigned_abs() <= within
}
