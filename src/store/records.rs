//! Dead letters, addresses, media and depths.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::domain::ids::{EmployeeId, SiteId, TaskId};
use crate::domain::message::{Address, Inbound, MessageSid};
use crate::domain::outbound::Outbound;

/// A message of the inbox as a list shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InboxEntry {
    /// Its place.
    pub seq: u64,
    /// Its conversation.
    pub conversation: String,
    /// The message.
    pub message: Inbound,
    /// Times its turn was begun.
    pub attempt: u32,
    /// Why its turn failed last.
    pub reason: Option<String>,
}

/// What could not be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Dead {
    /// A turn that could not be answered.
    Inbound {
        /// Its conversation.
        conversation: String,
        /// Its messages.
        messages: Vec<Inbound>,
        /// Times it was tried.
        attempts: u32,
    },
    /// A message that could not be sent.
    Outbound {
        /// The message.
        outbound: Box<Outbound>,
    },
}

/// A dead letter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// Its id.
    pub id: u64,
    /// When it was buried (machine time).
    pub at: Timestamp,
    /// The code, when there is one.
    pub code: Option<String>,
    /// Why.
    pub reason: String,
    /// What.
    pub letter: Dead,
}

/// An address of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownAddress {
    /// The address.
    pub address: Address,
    /// The employee it is bound to.
    pub person: Option<String>,
    /// Other addresses of the same person, as messages have shown.
    pub also: Vec<Address>,
}

/// A file that came with a message. Its content is a file in the data directory, once per hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaRecord {
    /// Its id.
    pub id: Uuid,
    /// SHA-256 of the content, hexadecimal.
    pub hash: String,
    /// What it is, by its content.
    pub content_type: String,
    /// Its size.
    pub bytes: u64,
    /// Where it is, relative to the media directory.
    pub file: String,
    /// The message it came with.
    #[serde(default)]
    pub message: Option<MessageSid>,
    /// The conversation it came with.
    #[serde(default)]
    pub conversation: Option<String>,
    /// The task it is about, as the message or the conversation says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The site it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site_id: Option<SiteId>,
    /// What was written with it: data, never instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// When it was stored (machine time).
    pub stored_at: Timestamp,
    /// What later readers found in it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub found: Value,
}

/// A mail that a person may send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailDraft {
    /// Its id.
    pub id: Uuid,
    /// When it was written (business time).
    pub at: Timestamp,
    /// Who wrote it; None for the desk.
    pub by: Option<EmployeeId>,
    /// To whom, as addresses.
    pub to: Vec<String>,
    /// What about.
    pub subject: String,
    /// The text.
    pub body: String,
}

/// How much waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Depths {
    /// Messages in the inbox, leased ones included.
    pub inbox: u64,
    /// Turns being answered.
    pub leased: u64,
    /// Messages to be sent.
    pub outbox: u64,
    /// Dead letters.
    pub dead: u64,
}

/// Whether the writer keeps up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    /// Operations waiting for the writer.
    pub waiting: usize,
    /// How many may wait.
    pub waiting_max: usize,
    /// Why the last transaction failed, when it did.
    pub failing: Option<String>,
}
