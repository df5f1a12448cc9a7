//! Conversations: a small row each, the engine's memory beside it, and the turns.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::addresses;
use super::tables::{decode, encode};
use super::writer::Work;
use crate::domain::message::Address;
use crate::store::StoreError;
use crate::store::turn::{Conversation, ConversationSummary, Seen};

/// A conversation without its memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ConversationRow {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<Address>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub our_number: Option<String>,
    #[serde(default)]
    pub opted_out: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_inbound_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_turn_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// Turns so far; the number of the next one.
    #[serde(default)]
    pub turns: u64,
    /// Its place in the table of recent conversations.
    #[serde(default)]
    pub recent: u64,
}

impl ConversationRow {
    fn begun(at: Timestamp) -> Self {
        Self {
            person: None,
            reply_to: None,
            our_number: None,
            opted_out: false,
            interrupted: false,
            last_inbound_at: None,
            last_turn_at: None,
            created_at: at,
            turns: 0,
            recent: 0,
        }
    }

    /// Takes over what messages have shown.
    pub fn take_over(&mut self, seen: Seen) {
        self.reply_to = seen.reply_to.or(self.reply_to.take());
        self.our_number = seen.our_number.or(self.our_number.take());
        self.last_inbound_at = seen.last_inbound_at.max(self.last_inbound_at);
    }

    pub fn with(self, id: String, memory: Value) -> Conversation {
        Conversation {
            id,
            person: self.person,
            reply_to: self.reply_to,
            our_number: self.our_number,
            memory,
            opted_out: self.opted_out,
            interrupted: self.interrupted,
            last_inbound_at: self.last_inbound_at,
            last_turn_at: self.last_turn_at,
            created_at: self.created_at,
            turns: self.turns,
        }
    }

    pub fn summary(self, id: String) -> ConversationSummary {
        ConversationSummary {
            id,
            person: self.person,
            reply_to: self.reply_to,
            opted_out: self.opted_out,
            last_inbound_at: self.last_inbound_at,
            last_turn_at: self.last_turn_at,
            turns: self.turns,
        }
    }
}

/// What a leased turn needs of its conversation.
pub(super) struct State {
    pub row: ConversationRow,
    pub memory: Option<Vec<u8>>,
}

/// Reads a conversation, or begins it.
pub(super) fn state(work: &mut Work<'_>, id: &str) -> Result<State, StoreError> {
    let row = row(work, id)?.unwrap_or_else(|| ConversationRow::begun(work.wall));
    let memory = work.tables.memories()?.get(id)?.map(|bytes| bytes.value().to_vec());
    Ok(State { row, memory })
}

fn row(work: &mut Work<'_>, id: &str) -> Result<Option<ConversationRow>, StoreError> {
    let found = work.tables.conversations()?.get(id)?;
    found.map(|bytes| decode("conversation", bytes.value())).transpose()
}

/// What changes in a conversation; values are made ready by the caller.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub seen: Seen,
    /// A turn, as bytes, and when it was.
    pub turn: Option<(Timestamp, Vec<u8>)>,
    pub memory: Option<Vec<u8>>,
    pub opted_out: Option<bool>,
}

/// Changes a conversation, or begins it.
pub(super) fn change(work: &mut Work<'_>, id: &str, change: Change) -> Result<(), StoreError> {
    let mut row = row(work, id)?.unwrap_or_else(|| ConversationRow::begun(work.wall));
    let replies_to = change.seen.reply_to.clone();
    row.take_over(change.seen);
    if let Some(from) = &replies_to {
        row.person = addresses::person(work, from)?;
    }
    row.opted_out = change.opted_out.unwrap_or(row.opted_out);
    if let Some(memory) = change.memory {
        work.tables.memories()?.put(id, memory.as_slice())?;
    }
    if let Some((at, turn)) = change.turn {
        work.tables.turns()?.put((id, row.turns), turn.as_slice())?;
        if let Some(old) = row.turns.checked_sub(work.limits.turns_per_conversation) {
            work.tables.turns()?.remove((id, old))?;
        }
        row.turns += 1;
        // What the turn answered stands last again.
        row.interrupted = false;
        row.last_turn_at = Some(at);
    }
    if row.recent > 0 {
        work.tables.recent()?.remove((row.recent, id))?;
    }
    row.recent = work.index.number(work.wall);
    work.tables.recent()?.put((row.recent, id), ())?;
    let bytes = encode("conversation", &row, work.limits.row_bytes)?;
    work.tables.conversations()?.put(id, bytes.as_slice())
}

/// Something that is no turn's reply goes to this conversation: what was said last is not last any more.
pub(super) fn interrupt(work: &mut Work<'_>, id: &str) -> Result<(), StoreError> {
    let Some(found) = row(work, id)?.filter(|row| !row.interrupted) else {
        return Ok(());
    };
    let row = ConversationRow {
        interrupted: true,
        ..found
    };
    let bytes = encode("conversation", &row, work.limits.row_bytes)?;
    work.tables.conversations()?.put(id, bytes.as_slice())
}

/// Forgets a conversation's content; an opt-out outlives it.
pub(super) fn forget(work: &mut Work<'_>, recent: u64, id: &str) -> Result<(), StoreError> {
    work.tables.recent()?.remove((recent, id))?;
    work.tables.memories()?.remove(id)?;
    let turns = work
        .tables
        .turns()?
        .some((id, 0)..=(id, u64::MAX), usize::MAX, |(_, number), _| number)?;
    for number in turns {
        work.tables.turns()?.remove((id, number))?;
    }
    match row(work, id)? {
        Some(row) if row.opted_out => {
            let row = ConversationRow {
                recent: 0,
                last_turn_at: None,
                ..row
            };
            let bytes = encode("conversation", &row, work.limits.row_bytes)?;
            work.tables.conversations()?.put(id, bytes.as_slice())
        }
        _ => work.tables.conversations()?.remove(id).map(drop),
    }
}
