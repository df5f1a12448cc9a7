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

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::*;
    use crate::domain::message::{Address, Origin};

    const WITHIN: Duration = Duration::from_secs(10);

    fn message(second: i64, body: &str, files: u32) -> Inbound {
        Inbound {
            sid: MessageSid::parse(&format!("SM{second:032x}")).unwrap(),
            account: String::new(),
            from: Address::parse("whatsapp:+56980000022").unwrap(),
            to: String::new(),
            body: body.to_owned(),
            command: None,
            pin: None,
            media: Vec::new(),
            num_media: files,
            message_type: String::new(),
            profile_name: None,
            wa_id: None,
            external_id: None,
            reply_to: None,
            forwarded: false,
            extra: Default::default(),
            origin: Origin::Webhook,
            sent_at: None,
            received_at: Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second),
        }
    }

    /// The texts of the parts of (second, text, files).
    fn texts(messages: &[(i64, &str, u32)]) -> Vec<String> {
        let messages: Vec<_> = messages
            .iter()
            .map(|(s, body, files)| message(*s, body, *files))
            .collect();
        let parts = parts(&messages, WITHIN);
        assert_eq!(
            parts.iter().map(|p| p.messages.len()).sum::<usize>(),
            messages.len(),
            "none is left out"
        );
        parts.iter().map(Part::text).collect()
    }

    #[test]
    fn a_question_in_pieces_is_one_and_two_whole_ones_are_two() {
        assert_eq!(texts(&[(0, "estado sitio", 0), (1, "2", 0)]), ["estado sitio\n2"]);
        assert_eq!(
            texts(&[(0, "estado sitio SITE-001", 0), (1, "estado sitio SITE-002", 0)]),
            ["estado sitio SITE-001", "estado sitio SITE-002"]
        );
    }

    #[test]
    fn photos_and_the_words_after_them_belong_together() {
        assert_eq!(
            texts(&[(0, "", 1), (1, "", 1), (2, "tablero quemado SITE-002", 0)]),
            ["tablero quemado SITE-002"]
        );
    }

    #[test]
    fn what_was_left_unfinished_long_ago_is_not_continued() {
        assert_eq!(
            texts(&[(0, "estado sitio", 0), (60, "estado sitio SITE-002", 0)]),
            ["estado sitio", "estado sitio SITE-002"]
        );
    }
}
