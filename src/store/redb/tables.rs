//! The tables, and rows as the rest of the store sees them: keys and bytes, no database words.
//!
//! Rows are JSON, so that later versions can add fields; keys are fixed binary, so that order is by
//! number and time. An ingest touches two tables: `inbox` (append only) and `sids`.

use std::borrow::Borrow;
use std::cell::Cell;
use std::ops::RangeBounds;

use redb::{
    AccessGuard, Key, ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata, Table, TableDefinition,
    TableError, Value, WriteTransaction,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::domain::message::MessageSid;
use crate::store::StoreError;

/// The schema that this program writes.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// `SM` or `MM` as one byte, then the 16 bytes that the 32 digits stand for.
pub(super) type SidKey = [u8; 17];

/// Messages that wait, by place. JSON: `inbox::InboxRow`.
pub(super) const INBOX: TableDefinition<u64, &[u8]> = TableDefinition::new("inbox");
/// Message ids seen, with the second of their arrival.
pub(super) const SIDS: TableDefinition<SidKey, u32> = TableDefinition::new("sids");
/// Turns begun and not finished, by conversation. JSON: `inbox::AttemptRow`.
pub(super) const ATTEMPTS: TableDefinition<&str, &[u8]> = TableDefinition::new("attempts");
/// Conversations. JSON: `conversations::ConversationRow`.
pub(super) const CONVERSATIONS: TableDefinition<&str, &[u8]> = TableDefinition::new("conversations");
/// The engine's memory of each conversation; apart, since it is larger than the rest. JSON.
pub(super) const MEMORIES: TableDefinition<&str, &[u8]> = TableDefinition::new("memories");
/// Conversations by the microsecond of their last turn, for lists and for tidying.
pub(super) const RECENT: TableDefinition<(u64, &str), ()> = TableDefinition::new("recent");
/// Turns by conversation and number. JSON: `TurnRecord`.
pub(super) const TURNS: TableDefinition<(&str, u64), &[u8]> = TableDefinition::new("turns");
/// Messages to be sent, by place. JSON: `outbox::OutboxRow`.
pub(super) const OUTBOX: TableDefinition<u64, &[u8]> = TableDefinition::new("outbox");
/// Messages that left the outbox, by our id (UUID v7: by time). JSON: `outbox::OutboxRow`.
pub(super) const SENT: TableDefinition<u128, &[u8]> = TableDefinition::new("sent");
/// Our id by Twilio's.
pub(super) const SENT_SIDS: TableDefinition<SidKey, u128> = TableDefinition::new("sent_sids");
/// Receipts for messages whose id is not known yet. JSON: `receipts::EarlyRow`.
pub(super) const EARLY: TableDefinition<SidKey, &[u8]> = TableDefinition::new("early_receipts");
/// Dead letters. JSON: `DeadLetter`.
pub(super) const DEAD: TableDefinition<u64, &[u8]> = TableDefinition::new("dead");
/// Addresses. JSON: `addresses::AddressRow`.
pub(super) const ADDRESSES: TableDefinition<&str, &[u8]> = TableDefinition::new("addresses");
/// Media by id. JSON: `MediaRecord`.
pub(super) const MEDIA: TableDefinition<u128, &[u8]> = TableDefinition::new("media");
/// Media ids by content hash.
pub(super) const MEDIA_HASHES: TableDefinition<(&str, u128), ()> = TableDefinition::new("media_hashes");
/// Mails for a person to send, by id (UUID v7: by time). JSON: `MailDraft`.
pub(super) const DRAFTS: TableDefinition<u128, &[u8]> = TableDefinition::new("drafts");
/// Records that writes or an import changed, by kind and id. JSON.
pub(super) const RECORDS: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("records");
/// Orders by id (UUID v7: by time). JSON: `ledger::OrderRow`.
pub(super) const ORDERS: TableDefinition<u128, &[u8]> = TableDefinition::new("orders");
/// Orders by who gave them and the microsecond, for what one may do in an hour.
pub(super) const ORDERED: TableDefinition<(&str, u64), u128> = TableDefinition::new("ordered");
/// What became of writes, by the microsecond. JSON: `AuditRow`.
pub(super) const AUDIT: TableDefinition<u64, &[u8]> = TableDefinition::new("audit");
/// Settings the program keeps for itself, the schema version among them.
pub(super) const META: TableDefinition<&str, &str> = TableDefinition::new("meta");

/// One open table of a write transaction; changes are counted.
pub(super) struct Rows<'t, K: Key + 'static, V: Value + 'static> {
    table: Table<'t, K, V>,
    changes: &'t Cell<u64>,
}

impl<K: Key + 'static, V: Value + 'static> Rows<'_, K, V> {
    pub fn get<'k>(&self, key: impl Borrow<K::SelfType<'k>>) -> Result<Option<AccessGuard<'_, V>>, StoreError> {
        Ok(self.table.get(key)?)
    }

    pub fn has<'k>(&self, key: impl Borrow<K::SelfType<'k>>) -> Result<bool, StoreError> {
        Ok(self.table.get(key)?.is_some())
    }

    pub fn put<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<(), StoreError> {
        self.changes.set(self.changes.get() + 1);
        self.table.insert(key, value)?;
        Ok(())
    }

    /// Removes a row; tells whether it was there.
    pub fn remove<'k>(&mut self, key: impl Borrow<K::SelfType<'k>>) -> Result<bool, StoreError> {
        let was = self.table.remove(key)?.is_some();
        if was {
            self.changes.set(self.changes.get() + 1);
        }
        Ok(was)
    }

    pub fn count(&self) -> Result<u64, StoreError> {
        Ok(self.table.len()?)
    }

    /// Up to `limit` rows of a range, in order, each made into what is wanted.
    pub fn some<'a, KR, T>(
        &self,
        range: impl RangeBounds<KR> + 'a,
        limit: usize,
        mut make: impl FnMut(K::SelfType<'_>, V::SelfType<'_>) -> T,
    ) -> Result<Vec<T>, StoreError>
    where
        KR: Borrow<K::SelfType<'a>> + 'a,
    {
        let mut found = Vec::new();
        for row in self.table.range(range)?.take(limit) {
            let (key, value) = row?;
            found.push(make(key.value(), value.value()));
        }
        Ok(found)
    }
}

/// The tables of one write transaction, opened when they are first asked for.
pub(super) struct Tables<'t> {
    txn: &'t WriteTransaction,
    changes: &'t Cell<u64>,
    inbox: Option<Rows<'t, u64, &'static [u8]>>,
    sids: Option<Rows<'t, SidKey, u32>>,
    attempts: Option<Rows<'t, &'static str, &'static [u8]>>,
    conversations: Option<Rows<'t, &'static str, &'static [u8]>>,
    memories: Option<Rows<'t, &'static str, &'static [u8]>>,
    recent: Option<Rows<'t, (u64, &'static str), ()>>,
    turns: Option<Rows<'t, (&'static str, u64), &'static [u8]>>,
    outbox: Option<Rows<'t, u64, &'static [u8]>>,
    sent: Option<Rows<'t, u128, &'static [u8]>>,
    sent_sids: Option<Rows<'t, SidKey, u128>>,
    early: Option<Rows<'t, SidKey, &'static [u8]>>,
    dead: Option<Rows<'t, u64, &'static [u8]>>,
    addresses: Option<Rows<'t, &'static str, &'static [u8]>>,
    media: Option<Rows<'t, u128, &'static [u8]>>,
    drafts: Option<Rows<'t, u128, &'static [u8]>>,
    media_hashes: Option<Rows<'t, (&'static str, u128), ()>>,
    records: Option<Rows<'t, (&'static str, &'static str), &'static [u8]>>,
    orders: Option<Rows<'t, u128, &'static [u8]>>,
    ordered: Option<Rows<'t, (&'static str, u64), u128>>,
    audit: Option<Rows<'t, u64, &'static [u8]>>,
    meta: Option<Rows<'t, &'static str, &'static str>>,
}

macro_rules! opened {
    ($($name:ident: $definition:ident, $key:ty, $value:ty;)*) => {
        impl<'t> Tables<'t> {
            pub fn new(txn: &'t WriteTransaction, changes: &'t Cell<u64>) -> Self {
                Self { txn, changes, $($name: None),* }
            }

            /// Changes made so far.
            pub fn changes(&self) -> u64 {
                self.changes.get()
            }

            $(pub fn $name(&mut self) -> Result<&mut Rows<'t, $key, $value>, StoreError> {
                let slot = &mut self.$name;
                if slot.is_none() {
                    let table = self.txn.open_table($definition)?;
                    *slot = Some(Rows { table, changes: self.changes });
                }
                slot.as_mut().ok_or(StoreError::Closed)
            })*
        }
    };
}

opened! {
    inbox: INBOX, u64, &'static [u8];
    sids: SIDS, SidKey, u32;
    attempts: ATTEMPTS, &'static str, &'static [u8];
    conversations: CONVERSATIONS, &'static str, &'static [u8];
    memories: MEMORIES, &'static str, &'static [u8];
    recent: RECENT, (u64, &'static str), ();
    turns: TURNS, (&'static str, u64), &'static [u8];
    outbox: OUTBOX, u64, &'static [u8];
    sent: SENT, u128, &'static [u8];
    sent_sids: SENT_SIDS, SidKey, u128;
    early: EARLY, SidKey, &'static [u8];
    dead: DEAD, u64, &'static [u8];
    addresses: ADDRESSES, &'static str, &'static [u8];
    media: MEDIA, u128, &'static [u8];
    drafts: DRAFTS, u128, &'static [u8];
    media_hashes: MEDIA_HASHES, (&'static str, u128), ();
    records: RECORDS, (&'static str, &'static str), &'static [u8];
    orders: ORDERS, u128, &'static [u8];
    ordered: ORDERED, (&'static str, u64), u128;
    audit: AUDIT, u64, &'static [u8];
    meta: META, &'static str, &'static str;
}

/// A table for reading; None before anything was ever written to it.
pub(super) fn reading<K: Key + 'static, V: Value + 'static>(
    txn: &ReadTransaction,
    definition: TableDefinition<K, V>,
) -> Result<Option<ReadOnlyTable<K, V>>, StoreError> {
    match txn.open_table(definition) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The key of a message id.
pub(super) fn sid_key(sid: &MessageSid) -> SidKey {
    let mut key = [0; 17];
    let text = sid.as_str().as_bytes();
    let digits = text.get(2..).unwrap_or_default();
    let nibble = |byte: u8| char::from(byte).to_digit(16).map_or(0, |digit| digit as u8);
    if let Some((first, rest)) = key.split_first_mut() {
        *first = text.first().copied().unwrap_or_default();
        for (byte, pair) in rest.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair.iter().fold(0, |value, digit| value << 4 | nibble(*digit));
        }
    }
    key
}

/// A row as bytes, refused when it is larger than `limit`.
pub(super) fn encode<T: Serialize>(what: &'static str, row: &T, limit: usize) -> Result<Vec<u8>, StoreError> {
    let bytes = serde_json::to_vec(row).map_err(|error| unreadable(what, &error))?;
    if bytes.len() > limit {
        return Err(StoreError::TooLarge {
            what,
            bytes: bytes.len(),
            limit,
        });
    }
    Ok(bytes)
}

/// A row from bytes.
pub(super) fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|error| unreadable(what, &error))
}

/// Only kind and place of the fault: serde's own message may quote the content.
fn unreadable(what: &'static str, error: &serde_json::Error) -> StoreError {
    StoreError::Unreadable {
        what,
        why: format!("{:?} at column {}", error.classify(), error.column()),
    }
}

macro_rules! database_errors {
    ($($error:ty),*) => {
        $(impl From<$error> for StoreError {
            fn from(error: $error) -> Self {
                match redb::Error::from(error) {
                    redb::Error::Corrupted(why) => Self::Corrupt(why),
                    other => Self::Io(std::sync::Arc::new(other)),
                }
            }
        })*
    };
}

database_errors!(
    redb::StorageError,
    redb::TableError,
    redb::TransactionError,
    redb::CommitError
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_differ_have_keys_that_differ() {
        let sms = MessageSid::parse("SM00112233445566778899aabbccddeeff").unwrap();
        let mms = MessageSid::parse("MM00112233445566778899aabbccddeeff").unwrap();
        assert_ne!(sid_key(&sms), sid_key(&mms));
        assert_eq!(sid_key(&sms)[..4], [b'S', 0x00, 0x11, 0x22]);
        assert_eq!(sid_key(&sms)[16], 0xff);
    }

    #[test]
    fn an_unreadable_row_never_shows_its_content() {
        let error = decode::<u32>("turn", b"\"secret words\"").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
