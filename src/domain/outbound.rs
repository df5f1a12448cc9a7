//! A message of ours to a person, and what became of it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::message::{Address, MessageSid};

/// Where a delivery stands; ranked, and never going down (`reference` fact: receipts arrive in any order).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// In our outbox.
    Pending,
    /// A send is under way, or was when the process died: its outcome is unknown.
    Sending,
    /// Twilio has accepted it (201).
    Accepted,
    /// On its way to WhatsApp.
    Sent,
    /// On the phone.
    Delivered,
    /// Seen.
    Read,
    /// Over: it will not arrive by this attempt.
    Failed,
}

/// Why the message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The answer to a turn.
    Reply,
    /// A word of the relay itself: limits, dead letters, opt-out.
    Notice,
}

/// What the relay hands to the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewOutbound {
    /// The conversation it belongs to.
    pub conversation: String,
    /// To whom, exactly as they wrote to us.
    pub to: Address,
    /// From which of our senders.
    pub from: String,
    /// The text, at most 1500 characters.
    pub body: String,
    /// Why.
    pub purpose: Purpose,
    /// The messages this answers.
    pub answers: Vec<MessageSid>,
    /// What the person may press instead of typing (20 characters each); shown where the channel has buttons.
    #[serde(default)]
    pub suggestions: Vec<String>,
    /// An approved template that says the same, for when free text is no longer taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<ContentTemplate>,
    /// A stored file that goes with it, at most one as WhatsApp has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<Uuid>,
}

/// An approved template with what its variables stand for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentTemplate {
    /// Its ContentSid at Twilio.
    pub content_sid: String,
    /// Values by the number of their variable.
    pub variables: BTreeMap<String, String>,
}

impl ContentTemplate {
    /// The variables as Twilio takes them.
    pub fn variables_json(&self) -> String {
        serde_json::to_string(&self.variables).unwrap_or_default()
    }
}

/// A message in the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outbound {
    /// Our own id, time-ordered; travels in the status callback.
    pub id: Uuid,
    /// What is sent.
    pub message: NewOutbound,
    /// Where it stands.
    pub delivery: Delivery,
    /// Twilio's id, once known.
    pub sid: Option<MessageSid>,
    /// Sends tried.
    pub attempts: u32,
    /// Whether it was already made shorter after 21617.
    pub shrunk: bool,
    /// Whether it goes as its template since free text was refused.
    #[serde(default)]
    pub templated: bool,
    /// The error code last reported, as text (it may be no number).
    pub error_code: Option<String>,
    /// The reason in words, for the ops team.
    pub reason: Option<String>,
    /// When it was enqueued (machine time).
    pub created_at: Timestamp,
    /// When it was last changed (machine time).
    pub updated_at: Timestamp,
}
