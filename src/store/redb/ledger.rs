//! Orders with their outcomes, the records they changed, and the audit.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::RedbStore;
use super::outbox::{self, Letter};
use super::read::{cursor, nothing};
use super::tables::{self, decode, encode, reading};
use super::write::letters;
use super::writer::Work;
use crate::domain::change::{Order, RecordKind, RecordPut};
use crate::domain::outbound::NewOutbound;
use crate::store::ledger::{AuditRow, Begun, Outcome};
use crate::store::{Listed, Page, StoreError};

/// An order as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct OrderRow {
    order: Order,
    #[serde(default)]
    outcome: Option<Outcome>,
    /// Its place among what this person ordered.
    counted: u64,
}

/// Whose hour it counts in.
fn whose(order: &Order) -> String {
    order.by.as_ref().map_or_else(|| "desk".to_owned(), ToString::to_string)
}

fn begin(work: &mut Work<'_>, order: Order, per_hour: u32) -> Result<Begun, StoreError> {
    let id = order.id.as_u128();
    if let Some(bytes) = work.tables.orders()?.get(id)? {
        let row: OrderRow = decode("order", bytes.value())?;
        return Ok(row.outcome.map_or(Begun::Unknown(row.order), Begun::Done));
    }
    let who = whose(&order);
    let hour = SignedDuration::from_hours(1);
    let from = micros(work.wall.checked_sub(hour).unwrap_or(Timestamp::UNIX_EPOCH));
    let most = usize::try_from(per_hour).unwrap_or(usize::MAX);
    let recent = work.tables.ordered()?.some(
        (who.as_str(), from)..=(who.as_str(), u64::MAX),
        most.max(1),
        |(_, at), _| at,
    )?;
    if recent.len() >= most {
        let oldest = recent.first().and_then(|at| i64::try_from(*at).ok());
        let oldest = oldest
            .and_then(|at| Timestamp::from_microsecond(at).ok())
            .unwrap_or(work.wall);
        return Ok(Begun::Busy(oldest.checked_add(hour).unwrap_or(oldest)));
    }
    let counted = work.index.number(work.wall);
    work.tables.ordered()?.put((who.as_str(), counted), id)?;
    let row = OrderRow {
        order,
        outcome: None,
        counted,
    };
    keep(work, id, &row)?;
    let limit = u64::try_from(work.limits.orders).unwrap_or(u64::MAX);
    if work.tables.orders()?.count()? > limit {
        // Ids are by time: the first is the oldest.
        let oldest = work.tables.orders()?.some::<u128, _>(.., 1, |id, _| id)?;
        for id in oldest {
            forget(work, id)?;
        }
    }
    Ok(Begun::Fresh)
}

fn keep(work: &mut Work<'_>, id: u128, row: &OrderRow) -> Result<(), StoreError> {
    let bytes = encode("order", row, work.limits.row_bytes)?;
    work.tables.orders()?.put(id, bytes.as_slice())
}

fn row(work: &mut Work<'_>, id: u128) -> Result<Option<OrderRow>, StoreError> {
    let bytes = work.tables.orders()?.get(id)?;
    bytes.map(|bytes| decode("order", bytes.value())).transpose()
}

fn finish(
    work: &mut Work<'_>,
    id: u128,
    outcome: Outcome,
    records: &[RecordPut],
    letters: Vec<Letter>,
) -> Result<(), StoreError> {
    let mut row = row(work, id)?.ok_or(StoreError::NotFound("order"))?;
    if row.outcome.is_some() {
        // What has ended stays as it ended.
        return Ok(());
    }
    outbox::room(work, letters.len())?;
    if !outcome.ok {
        let who = whose(&row.order);
        work.tables.ordered()?.remove((who.as_str(), row.counted))?;
    }
    row.outcome = Some(outcome);
    keep(work, id, &row)?;
    put(work, records)?;
    outbox::enqueue(work, letters)
}

fn forget(work: &mut Work<'_>, id: u128) -> Result<(), StoreError> {
    let Some(row) = row(work, id)? else { return Ok(()) };
    let who = whose(&row.order);
    work.tables.ordered()?.remove((who.as_str(), row.counted))?;
    work.tables.orders()?.remove(id)?;
    Ok(())
}

fn put(work: &mut Work<'_>, records: &[RecordPut]) -> Result<(), StoreError> {
    for record in records {
        let bytes = encode("record", &record.value, work.limits.row_bytes)?;
        let key = (record.kind.as_str(), record.id.as_str());
        work.tables.records()?.put(key, bytes.as_slice())?;
    }
    Ok(())
}

fn empty(work: &mut Work<'_>, kind: RecordKind) -> Result<(), StoreError> {
    let ids = work
        .tables
        .records()?
        .some((kind.as_str(), "")..(kind.as_str(), LAST), usize::MAX, |(_, id), _| {
            id.to_owned()
        })?;
    for id in ids {
        work.tables.records()?.remove((kind.as_str(), id.as_str()))?;
    }
    Ok(())
}

/// Above every id.
const LAST: &str = "\u{10FFFF}";

fn micros(at: Timestamp) -> u64 {
    u64::try_from(at.as_microsecond()).unwrap_or_default()
}

fn note(work: &mut Work<'_>, row: &AuditRow) -> Result<(), StoreError> {
    let bytes = encode("audit row", row, work.limits.row_bytes)?;
    let at = work.index.number(work.wall);
    work.tables.audit()?.put(at, bytes.as_slice())?;
    let limit = u64::try_from(work.limits.audit_rows).unwrap_or(u64::MAX);
    if work.tables.audit()?.count()? > limit {
        let oldest = work.tables.audit()?.some::<u64, _>(.., 1, |at, _| at)?;
        for at in oldest {
            work.tables.audit()?.remove(at)?;
        }
    }
    Ok(())
}

impl RedbStore {
    pub(in crate::store) async fn write_begin(&self, order: Order, per_hour: u32) -> Result<Begun, StoreError> {
        self.write(move |work| begin(work, order, per_hour)).await
    }

    pub(in crate::store) async fn write_finish(
        &self,
        id: Uuid,
        outcome: Outcome,
        records: Vec<RecordPut>,
        outbox: Vec<NewOutbound>,
    ) -> Result<(), StoreError> {
        let letters = letters(outbox, self.limits())?;
        self.write(move |work| finish(work, id.as_u128(), outcome, &records, letters))
            .await
    }

    pub(in crate::store) async fn write_forget(&self, id: Uuid) -> Result<(), StoreError> {
        self.write(move |work| forget(work, id.as_u128())).await
    }

    pub(in crate::store) fn order(&self, id: Uuid) -> Result<Option<(Order, Option<Outcome>)>, StoreError> {
        let row: Option<OrderRow> = self.one(tables::ORDERS, id.as_u128(), |bytes| decode("order", bytes))?;
        Ok(row.map(|row| (row.order, row.outcome)))
    }

    pub(in crate::store) fn records(&self, kind: RecordKind) -> Result<Vec<(String, Value)>, StoreError> {
        let txn = self.reading()?;
        let Some(records) = reading(&txn, tables::RECORDS)? else {
            return Ok(Vec::new());
        };
        let rows = records.range((kind.as_str(), "")..(kind.as_str(), LAST))?;
        rows.map(|row| {
            let (key, bytes) = row?;
            Ok((key.value().1.to_owned(), decode("record", bytes.value())?))
        })
        .collect()
    }

    pub(in crate::store) async fn records_replace(
        &self,
        emptied: Vec<RecordKind>,
        puts: Vec<RecordPut>,
        meta: Vec<(String, String)>,
    ) -> Result<(), StoreError> {
        self.write(move |work| {
            for kind in &emptied {
                empty(work, *kind)?;
            }
            put(work, &puts)?;
            for (key, value) in &meta {
                work.tables.meta()?.put(key.as_str(), value.as_str())?;
            }
            Ok(())
        })
        .await
    }

    pub(in crate::store) async fn audit(&self, rows: Vec<AuditRow>) -> Result<(), StoreError> {
        self.write(move |work| rows.iter().try_for_each(|row| note(work, row)))
            .await
    }

    pub(in crate::store) fn audit_list(&self, page: &Page) -> Result<Listed<AuditRow>, StoreError> {
        let before = cursor::<u64>(page)?.unwrap_or(u64::MAX);
        let txn = self.reading()?;
        let Some(audit) = reading(&txn, tables::AUDIT)? else {
            return Ok(nothing());
        };
        let rows = audit.range(..before)?.rev();
        let rows = rows.map(|entry| entry.map(|(key, bytes)| (key.value(), bytes)));
        self.list(
            page,
            rows,
            |(at, _)| at.to_string(),
            |(_, bytes)| decode("audit row", bytes.value()).map(Some),
        )
    }
}
