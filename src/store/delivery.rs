//! The outbox, in the words that callers use: what a send came to, and what Twilio reports later.

use uuid::Uuid;

use crate::domain::message::MessageSid;
use crate::domain::outbound::{Delivery, Outbound};

/// How an attempt to send ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settle {
    /// Twilio has it.
    Accepted {
        /// Its id there.
        sid: MessageSid,
    },
    /// Try again later; it keeps its place before the recipient's other messages.
    Retry {
        /// How long to wait.
        after: std::time::Duration,
        /// The code, when there is one.
        code: Option<String>,
        /// The reason for the ops team.
        reason: String,
    },
    /// It can't be sent: to the dead letters.
    Failed {
        /// The code, when there is one.
        code: Option<String>,
        /// The reason for the ops team.
        reason: String,
    },
    /// Too long: send this shorter text instead, at once.
    Shrunk {
        /// The shorter text.
        body: String,
    },
    /// Free text is refused: send it as its template instead, at once.
    Templated {
        /// The reason for the ops team.
        reason: String,
    },
    /// The recipient's 24 hours are over: wait until they write again.
    Window {
        /// The reason for the ops team.
        reason: String,
    },
}

/// A delivery receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Our outbox id, as it travelled in the callback's query.
    pub outbox: Option<Uuid>,
    /// Twilio's id.
    pub sid: MessageSid,
    /// Where the message stands.
    pub delivery: Delivery,
    /// An error code, as text.
    pub error_code: Option<String>,
    /// The reason in words.
    pub reason: Option<String>,
}

/// What a receipt changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipted {
    /// The message now stands higher. After `Failed`, the reaction is the caller's (`outbox_settle`).
    Applied(Box<Outbound>),
    /// It tells nothing new: repeated, overtaken by a later one, or about an earlier attempt.
    Stale,
    /// No message has this id yet; it is kept and applied when one has.
    Unknown,
}
