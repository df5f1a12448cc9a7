//! What the writer holds in memory, made from the tables when the store is opened.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata};
use serde::Deserialize;

use super::agenda::{Agenda, Begun, Waiting};
use super::inbox::AttemptRow;
use super::outbox::OutboxRow;
use super::queues::{Queues, Waits};
use super::tables::{self, SidKey, decode, reading, sid_key};
use crate::domain::message::{MessageSid, Origin};
use crate::domain::outbound::Delivery;
use crate::store::records::Depths;
use crate::store::{StoreError, StoreLimits};

/// All of it.
#[derive(Debug)]
pub(super) struct Index {
    pub agenda: Agenda,
    pub queues: Queues,
    pub dead: u64,
    /// Where tidying the message ids goes on.
    pub swept_sids: SidKey,
    /// Where tidying the media goes on.
    pub swept_media: u128,
    last_number: u64,
}

/// The part of an inbox row that the agenda needs.
#[derive(Deserialize)]
struct Head {
    conversation: String,
    message: HeadOfMessage,
}

#[derive(Deserialize)]
struct HeadOfMessage {
    sid: MessageSid,
    origin: Origin,
}

impl Index {
    /// Reads what waits; everything is due at `now`.
    pub fn load(database: &Database, limits: &StoreLimits, now: Instant) -> Result<Self, StoreError> {
        let txn = database.begin_read()?;
        let mut index = Self {
            agenda: Agenda::new(limits.turn_messages, Duration::from_millis(limits.hold_total_ms)),
            queues: Queues::default(),
            dead: 0,
            swept_sids: [0; 17],
            swept_media: 0,
            last_number: 0,
        };
        if let Some(table) = reading(&txn, tables::INBOX)? {
            for row in table.iter()? {
                let (seq, bytes) = row?;
                let head: Head = decode("inbox row", bytes.value())?;
                index.seen(seq.value());
                let message = Waiting {
                    seq: seq.value(),
                    sid: sid_key(&head.message.sid),
                    polled: head.message.origin == Origin::Poll,
                    at: now,
                    hold: Duration::ZERO,
                };
                index.agenda.add(&head.conversation, message);
            }
        }
        if let Some(table) = reading(&txn, tables::ATTEMPTS)? {
            for row in table.iter()? {
                let (conversation, bytes) = row?;
                let row: AttemptRow = decode("attempt", bytes.value())?;
                index.agenda.resume(
                    conversation.value(),
                    Begun {
                        upto: row.upto,
                        attempt: row.attempt,
                    },
                );
            }
        }
        if let Some(table) = reading(&txn, tables::OUTBOX)? {
            for row in table.iter()? {
                let (seq, bytes) = row?;
                let row: OutboxRow = decode("outbox row", bytes.value())?;
                index.seen(seq.value());
                let sending = row.outbound.delivery == Delivery::Sending;
                let waits = match (sending, row.window) {
                    (true, _) => Waits::Outcome,
                    (false, true) => Waits::Window,
                    (false, false) => Waits::Until(now),
                };
                let id = row.outbound.id.as_u128();
                index.queues.put(row.slot(waits));
                if sending {
                    index.queues.unsettle(id);
                }
            }
        }
        if let Some(table) = reading(&txn, tables::DEAD)? {
            index.dead = table.len()?;
            if let Some((id, _)) = table.last()? {
                index.seen(id.value());
            }
        }
        Ok(index)
    }

    /// Reads what waits anew after a failure. Numbers go on: a lease of before must not pass for one of after.
    pub fn reload(&mut self, database: &Database, limits: &StoreLimits, now: Instant) -> Result<(), StoreError> {
        let mut index = Self::load(database, limits, now)?;
        index.seen(self.last_number);
        index.agenda.number_leases_like(&self.agenda);
        *self = index;
        Ok(())
    }

    /// A number above all before, also across restarts without keeping a counter: the microsecond,
    /// or one more than the last when several fall into one.
    pub fn number(&mut self, wall: Timestamp) -> u64 {
        let micros = u64::try_from(wall.as_microsecond()).unwrap_or_default();
        self.last_number = micros.max(self.last_number.saturating_add(1));
        self.last_number
    }

    fn seen(&mut self, number: u64) {
        self.last_number = self.last_number.max(number);
    }

    /// How much waits.
    pub fn depths(&self) -> Depths {
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        Depths {
            inbox: count(self.agenda.messages()),
            leased: count(self.agenda.leased()),
            outbox: count(self.queues.len()),
            dead: self.dead,
        }
    }
}
