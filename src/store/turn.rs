//! The inbox and the conversations, in the words that callers use.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::domain::message::{Address, Inbound, MessageSid};
use crate::domain::outbound::NewOutbound;

/// What became of a message that came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ingested {
    /// It is stored and will be answered.
    New,
    /// It was here before; nothing changed.
    Duplicate,
    /// A polled copy was waiting and now holds what the webhook knew; place and time stayed.
    Enriched,
}

/// The right to answer one turn; `ack`, `retry`, `bury` and `defer` consume it.
#[derive(PartialEq, Eq)]
pub struct Lease {
    pub(super) conversation: Arc<str>,
    pub(super) id: u64,
    pub(super) seen: Seen,
}

/// What the leased messages tell about their conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub reply_to: Option<Address>,
    pub our_number: Option<String>,
    pub last_inbound_at: Option<Timestamp>,
}

impl Lease {
    /// The conversation it is about.
    pub fn conversation(&self) -> &str {
        &self.conversation
    }
}

/// Shows the number only: a conversation's id may name a person.
impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lease({})", self.id)
    }
}

/// A turn to be answered: everything that waits in one conversation.
#[derive(Debug)]
pub struct LeasedTurn {
    /// The right to answer it.
    pub lease: Lease,
    /// The conversation, with what these messages add to it.
    pub conversation: Conversation,
    /// The messages in order; at least one.
    pub messages: Vec<Inbound>,
    /// 1 at the first try. Above `StoreLimits::attempts` when the process died over it: bury it.
    pub attempt: u32,
}

/// What there is to do in the inbox.
#[derive(Debug)]
pub enum Leasing {
    /// A turn.
    Turn(Box<LeasedTurn>),
    /// Nothing now.
    Idle {
        /// When the next turn is due, if any is waiting.
        next_due: Option<Instant>,
    },
}

/// What became of a failed turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retried {
    /// It is tried again.
    Again,
    /// It is a dead letter, and the last words are in the outbox.
    Buried,
}

/// What answering a turn changes, all in one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnEffects {
    /// What goes to the outbox, in order.
    pub replies: Vec<NewOutbound>,
    /// What is remembered of the turn.
    pub turn: TurnRecord,
    /// The engine's memory from now on.
    pub memory: Value,
    /// Some when the person opted out or in.
    pub opted_out: Option<bool>,
}

/// A conversation as the engine and the relay see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// Its id, given by whoever ingests.
    pub id: String,
    /// The employee it belongs to, when the address is bound to one.
    pub person: Option<String>,
    /// The exact last `From`, to which replies go.
    pub reply_to: Option<Address>,
    /// Our number that was written to.
    pub our_number: Option<String>,
    /// The engine's memory; null before the first turn.
    pub memory: Value,
    /// Whether the person wants no messages.
    pub opted_out: bool,
    /// Something that was no turn's reply was sent since the last turn.
    pub interrupted: bool,
    /// When they last wrote (machine time).
    pub last_inbound_at: Option<Timestamp>,
    /// When they were last answered (machine time).
    pub last_turn_at: Option<Timestamp>,
    /// When the conversation began (machine time).
    pub created_at: Timestamp,
    /// Turns so far.
    pub turns: u64,
}

/// A conversation as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversationSummary {
    /// Its id.
    pub id: String,
    /// The employee, when known.
    pub person: Option<String>,
    /// Their address; mask it before it is shown.
    pub reply_to: Option<Address>,
    /// Whether the person wants no messages.
    pub opted_out: bool,
    /// When they last wrote.
    pub last_inbound_at: Option<Timestamp>,
    /// When they were last answered.
    pub last_turn_at: Option<Timestamp>,
    /// Turns so far.
    pub turns: u64,
}

/// A message as a turn remembers it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Its id, when it came through Twilio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sid: Option<MessageSid>,
    /// What was written.
    pub text: String,
    /// `text`, `image`, `location`, …; empty means text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
}

/// One question and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// When it was answered (machine time).
    pub at: Timestamp,
    /// What was asked.
    #[serde(default)]
    pub asked: Vec<Asked>,
    /// What was answered.
    #[serde(default)]
    pub reply: String,
    /// The tools that were called, as `relevo ask --json` shows them.
    #[serde(default)]
    pub tool_calls: Value,
    /// The rest of the engine's trace: provider, scope, entities, corrections, what was degraded.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub trace: Value,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub ms: u64,
    /// The replies in the outbox; the store fills it in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<Uuid>,
}

impl Default for TurnRecord {
    fn default() -> Self {
        Self {
            at: Timestamp::UNIX_EPOCH,
            asked: Vec::new(),
            reply: String::new(),
            tool_calls: Value::Null,
            trace: Value::Null,
            ms: 0,
            replies: Vec::new(),
        }
    }
}
