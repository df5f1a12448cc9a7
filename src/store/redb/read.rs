//! Reads: a consistent view of what is committed, beside the writer and without it.

use redb::{Key, TableDefinition, Value};
use uuid::Uuid;

use super::RedbStore;
use super::addresses::AddressRow;
use super::conversations::ConversationRow;
use super::inbox::{AttemptRow, InboxRow};
use super::outbox::OutboxRow;
use super::tables::{self, decode, reading, sid_key};
use crate::domain::message::{Address, MessageSid};
use crate::domain::outbound::Outbound;
use crate::store::StoreError;
use crate::store::page::{Listed, Page};
use crate::store::records::{DeadLetter, InboxEntry, KnownAddress, MediaRecord};
use crate::store::turn::{Conversation, ConversationSummary, TurnRecord};

impl RedbStore {
    /// One row, made into what is wanted while it is at hand.
    pub(super) fn one<'k, K, V, T>(
        &self,
        table: TableDefinition<K, V>,
        key: K::SelfType<'k>,
        make: impl FnOnce(V::SelfType<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError>
    where
        K: Key + 'static,
        V: Value + 'static,
    {
        let txn = self.reading()?;
        let Some(table) = reading(&txn, table)? else {
            return Ok(None);
        };
        let found = table.get(key)?;
        found.map(|guard| make(guard.value())).transpose()
    }

    pub(in crate::store) fn known(&self, sids: &[MessageSid]) -> Result<Vec<bool>, StoreError> {
        let txn = self.reading()?;
        let Some(table) = reading(&txn, tables::SIDS)? else {
            return Ok(vec![false; sids.len()]);
        };
        sids.iter().map(|sid| Ok(table.get(sid_key(sid))?.is_some())).collect()
    }

    pub(in crate::store) fn conversation(&self, id: &str) -> Result<Option<Conversation>, StoreError> {
        let row = self.one(tables::CONVERSATIONS, id, |bytes| {
            decode::<ConversationRow>("conversation", bytes)
        })?;
        let Some(row) = row else { return Ok(None) };
        let memory = self.one(tables::MEMORIES, id, |bytes| decode("memory", bytes))?;
        Ok(Some(row.with(id.to_owned(), memory.unwrap_or_default())))
    }

    pub(in crate::store) fn conversations(&self, page: &Page) -> Result<Listed<ConversationSummary>, StoreError> {
        let before = cursor::<u64>(page)?.unwrap_or(u64::MAX);
        let txn = self.reading()?;
        let (Some(recent), Some(rows)) = (reading(&txn, tables::RECENT)?, reading(&txn, tables::CONVERSATIONS)?) else {
            return Ok(nothing());
        };
        let range = recent.range::<(u64, &str)>(..(before, ""))?.rev();
        let ids = range.map(|entry| entry.map(|(key, _)| (key.value().0, key.value().1.to_owned())));
        self.list(
            page,
            ids,
            |(at, _)| at.to_string(),
            |(_, id)| {
                let row = rows.get(id.as_str())?;
                row.map(|bytes| Ok(decode::<ConversationRow>("conversation", bytes.value())?.summary(id.clone())))
                    .transpose()
            },
        )
    }

    pub(in crate::store) fn turns(&self, id: &str, page: &Page) -> Result<Listed<TurnRecord>, StoreError> {
        let before = cursor::<u64>(page)?.unwrap_or(u64::MAX);
        let txn = self.reading()?;
        let Some(turns) = reading(&txn, tables::TURNS)? else {
            return Ok(nothing());
        };
        let range = turns.range((id, 0)..(id, before))?.rev();
        let rows = range.map(|entry| entry.map(|(key, bytes)| (key.value().1, bytes)));
        self.list(
            page,
            rows,
            |(number, _)| number.to_string(),
            |(_, bytes)| decode("turn", bytes.value()).map(Some),
        )
    }

    pub(in crate::store) fn inbox(&self, page: &Page) -> Result<Listed<InboxEntry>, StoreError> {
        let from = cursor::<u64>(page)?.map_or(0, |seq| seq.saturating_add(1));
        let txn = self.reading()?;
        let Some(inbox) = reading(&txn, tables::INBOX)? else {
            return Ok(nothing());
        };
        let attempts = reading(&txn, tables::ATTEMPTS)?;
        let rows = inbox.range(from..)?;
        let rows = rows.map(|entry| entry.map(|(key, bytes)| (key.value(), bytes)));
        self.list(
            page,
            rows,
            |(seq, _)| seq.to_string(),
            |(seq, bytes)| {
                let row: InboxRow = decode("inbox row", bytes.value())?;
                let begun = attempts
                    .as_ref()
                    .map(|table| table.get(row.conversation.as_str()))
                    .transpose()?
                    .flatten();
                let begun = begun
                    .map(|bytes| decode::<AttemptRow>("attempt", bytes.value()))
                    .transpose()?;
                let begun = begun.filter(|begun| *seq <= begun.upto);
                Ok(Some(InboxEntry {
                    seq: *seq,
                    conversation: row.conversation,
                    message: row.message,
                    attempt: begun.as_ref().map_or(0, |begun| begun.attempt),
                    reason: begun.and_then(|begun| begun.reason),
                }))
            },
        )
    }

    pub(in crate::store) fn outbox(&self, page: &Page) -> Result<Listed<Outbound>, StoreError> {
        let from = cursor::<u64>(page)?.map_or(0, |seq| seq.saturating_add(1));
        let txn = self.reading()?;
        let Some(outbox) = reading(&txn, tables::OUTBOX)? else {
            return Ok(nothing());
        };
        let rows = outbox.range(from..)?;
        let rows = rows.map(|entry| entry.map(|(key, bytes)| (key.value(), bytes)));
        self.list(
            page,
            rows,
            |(seq, _)| seq.to_string(),
            |(_, bytes)| Ok(Some(decode::<OutboxRow>("outbox row", bytes.value())?.outbound)),
        )
    }

    pub(in crate::store) fn sent(&self, page: &Page) -> Result<Listed<Outbound>, StoreError> {
        let before = cursor::<Uuid>(page)?.map_or(u128::MAX, |id| id.as_u128());
        let txn = self.reading()?;
        let Some(sent) = reading(&txn, tables::SENT)? else {
            return Ok(nothing());
        };
        let rows = sent.range(..before)?.rev();
        let rows = rows.map(|entry| entry.map(|(key, bytes)| (Uuid::from_u128(key.value()), bytes)));
        self.list(
            page,
            rows,
            |(id, _)| id.to_string(),
            |(_, bytes)| Ok(Some(decode::<OutboxRow>("sent row", bytes.value())?.outbound)),
        )
    }

    pub(in crate::store) fn dead(&self, page: &Page) -> Result<Listed<DeadLetter>, StoreError> {
        let before = cursor::<u64>(page)?.unwrap_or(u64::MAX);
        let txn = self.reading()?;
        let Some(dead) = reading(&txn, tables::DEAD)? else {
            return Ok(nothing());
        };
        let rows = dead.range(..before)?.rev();
        let rows = rows.map(|entry| entry.map(|(key, bytes)| (key.value(), bytes)));
        self.list(
            page,
            rows,
            |(id, _)| id.to_string(),
            |(_, bytes)| decode("dead letter", bytes.value()).map(Some),
        )
    }

    pub(in crate::store) fn addresses(&self, page: &Page) -> Result<Listed<KnownAddress>, StoreError> {
        let txn = self.reading()?;
        let Some(addresses) = reading(&txn, tables::ADDRESSES)? else {
            return Ok(nothing());
        };
        let after = page.after.as_deref().unwrap_or_default();
        let rows = addresses.range::<&str>((std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded))?;
        let rows = rows.map(|entry| entry.map(|(key, bytes)| (key.value().to_owned(), bytes)));
        self.list(
            page,
            rows,
            |(address, _)| address.clone(),
            |(address, bytes)| {
                let row: AddressRow = decode("address", bytes.value())?;
                let Ok(address) = Address::parse(address) else {
                    return Ok(None);
                };
                Ok(Some(KnownAddress {
                    address,
                    person: row.person,
                    also: row.also,
                }))
            },
        )
    }

    pub(in crate::store) fn outbound(&self, id: Uuid) -> Result<Option<Outbound>, StoreError> {
        self.one(tables::SENT, id.as_u128(), |bytes| {
            Ok(decode::<OutboxRow>("sent row", bytes)?.outbound)
        })
    }

    pub(in crate::store) fn outbound_by_sid(&self, sid: &MessageSid) -> Result<Option<Outbound>, StoreError> {
        let id = self.one(tables::SENT_SIDS, sid_key(sid), |id| Ok(Uuid::from_u128(id)))?;
        id.map_or(Ok(None), |id| self.outbound(id))
    }

    pub(in crate::store) fn person_of(&self, address: &Address) -> Result<Option<String>, StoreError> {
        let row = self.one(tables::ADDRESSES, address.as_str(), |bytes| {
            decode::<AddressRow>("address", bytes)
        })?;
        Ok(row.and_then(|row| row.person))
    }

    pub(in crate::store) fn media(&self, id: Uuid) -> Result<Option<MediaRecord>, StoreError> {
        self.one(tables::MEDIA, id.as_u128(), |bytes| decode("media record", bytes))
    }

    pub(in crate::store) fn media_by_hash(&self, hash: &str) -> Result<Option<MediaRecord>, StoreError> {
        let txn = self.reading()?;
        let Some(hashes) = reading(&txn, tables::MEDIA_HASHES)? else {
            return Ok(None);
        };
        let first = hashes.range((hash, 0)..=(hash, u128::MAX))?.next().transpose()?;
        let id = first.map(|(key, _)| Uuid::from_u128(key.value().1));
        id.map_or(Ok(None), |id| self.media(id))
    }

    pub(in crate::store) fn meta_get(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.one(tables::META, key, |value| Ok(value.to_owned()))
    }

    /// Fills a page from rows in order, and tells where the next one begins.
    pub(super) fn list<R, T>(
        &self,
        page: &Page,
        rows: impl Iterator<Item = Result<R, redb::StorageError>>,
        place: impl Fn(&R) -> String,
        make: impl Fn(&R) -> Result<Option<T>, StoreError>,
    ) -> Result<Listed<T>, StoreError> {
        let limit = page.rows(self.limits().page_rows);
        let mut listed = nothing();
        let mut last = None;
        for row in rows {
            let row = row?;
            if listed.rows.len() >= limit {
                listed.next = last;
                break;
            }
            listed.rows.extend(make(&row)?);
            last = Some(place(&row));
        }
        Ok(listed)
    }
}

pub(super) fn nothing<T>() -> Listed<T> {
    Listed {
        rows: Vec::new(),
        next: None,
    }
}

/// Where the page begins. A cursor that was not ours is an error: to begin at the front again would
/// send whoever follows it round in circles.
pub(super) fn cursor<T: std::str::FromStr>(page: &Page) -> Result<Option<T>, StoreError> {
    let after = page.after.as_deref();
    after
        .map(|after| after.parse().map_err(|_| StoreError::Cursor))
        .transpose()
}
