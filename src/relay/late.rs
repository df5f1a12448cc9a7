//! Messages that come so late that their answer would be a surprise: after a long stop of ours,
//! one apology lists them instead (`DESIGN.md`, poor first, rich later).

use jiff::{SignedDuration, Timestamp};

use crate::config::Relay;
use crate::domain::message::{Inbound, Origin};
use crate::format::phrases;

/// Characters of a message that the apology quotes.
const QUOTE_CHARS_MAX: usize = 60;
/// Messages that the apology lists.
const QUOTES_MAX: usize = 8;

/// When a message is late.
#[derive(Debug, Clone, Copy)]
pub struct Late {
    after: SignedDuration,
}

impl Late {
    /// By the setting `relay.stale_after_mins`.
    pub fn new(relay: &Relay) -> Self {
        let mins = i64::try_from(relay.stale_after_mins).unwrap_or(i64::MAX / 60);
        Self {
            after: SignedDuration::from_mins(mins),
        }
    }

    /// Was it sent so long ago? Only the list says when; a webhook comes at once.
    pub fn is_late(self, message: &Inbound) -> bool {
        let age = message.sent_at.map(|at| Timestamp::now().duration_since(at));
        message.origin == Origin::Poll && age.is_some_and(|age| age > self.after)
    }
}

/// One apology that lists what came too late to be answered by itself.
pub fn apology(late: &[Inbound]) -> String {
    let quote = |m: &Inbound| {
        let text: String = m.body.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = if text.is_empty() {
            phrases().say("relay.late.no_text", &[])
        } else {
            text
        };
        let cut: String = text.chars().take(QUOTE_CHARS_MAX).collect();
        if cut.len() < text.len() {
            format!("- {cut}…")
        } else {
            format!("- {cut}")
        }
    };
    let mut lines = vec![phrases().say("relay.late.intro", &[("n", &late.len())])];
    lines.extend(late.iter().take(QUOTES_MAX).map(quote));
    if let Some(more) = late.len().checked_sub(QUOTES_MAX).filter(|more| *more > 0) {
        lines.push(phrases().say("relay.late.more", &[("n", &more)]));
    }
    lines.push(phrases().say("relay.late.ask", &[]));
    lines.join("\n")
}
