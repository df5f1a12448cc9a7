//! The ledger: what people ordered, what came of it, and what the picture must hold because of it.
//!
//! An order is kept before it is carried out ([`Store::write_begin`]) and ends in one transaction
//! with the records it changed ([`Store::write_finish`]). What was begun and not ended is unknown:
//! whoever begins it again is told so, and looks before anything is sent twice.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{Listed, Page, Store, Stored};
use crate::domain::change::{Order, RecordKind, RecordPut};
use crate::domain::outbound::NewOutbound;

/// What beginning an order found.
#[derive(Debug, Clone, PartialEq)]
pub enum Begun {
    /// It is new, and kept: it may be carried out now.
    Fresh,
    /// It was begun before, and what came of it is not known.
    Unknown(Order),
    /// It was carried out, or refused, before.
    Done(Outcome),
    /// This person has ordered as much as one may in an hour; when the next is possible.
    Busy(Timestamp),
}

/// What came of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Was it carried out?
    pub ok: bool,
    /// What can be pointed at: a task's id, a message's id.
    #[serde(default)]
    pub reference: String,
    /// Why not, in words without people or secrets.
    #[serde(default)]
    pub reason: Option<String>,
}

/// What became of a write, for whoever looks later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditRow {
    /// When (machine time).
    pub at: Timestamp,
    /// Who: an employee's id, `desk`, `system`.
    pub who: String,
    /// Through which door.
    pub channel: String,
    /// `previewed`, `confirmed`, `executed`, `failed`, `refused`, `expired`, `cancelled`, `tool_disabled`, …
    pub what: String,
    /// The tool.
    #[serde(default)]
    pub tool: Option<String>,
    /// Its arguments, without secrets.
    #[serde(default)]
    pub params: Value,
    /// The order.
    #[serde(default)]
    pub order: Option<Uuid>,
    /// Why, in a word or a sentence.
    #[serde(default)]
    pub reason: Option<String>,
}

/// The ledger, the records and the audit.
impl Store {
    /// Keeps an order before it is carried out; `per_hour` orders of one person may be carried out in a rolling hour.
    pub async fn write_begin(&self, order: Order, per_hour: u32) -> Stored<Begun> {
        let Self::Redb(store) = self;
        store.write_begin(order, per_hour).await
    }

    /// Ends an order: its outcome, what it changed and the messages it sends, all or nothing.
    pub async fn write_finish(
        &self,
        id: Uuid,
        outcome: Outcome,
        records: Vec<RecordPut>,
        outbox: Vec<NewOutbound>,
    ) -> Stored<()> {
        let Self::Redb(store) = self;
        store.write_finish(id, outcome, records, outbox).await
    }

    /// Forgets an order that was begun and surely not carried out.
    pub async fn write_forget(&self, id: Uuid) -> Stored<()> {
        let Self::Redb(store) = self;
        store.write_forget(id).await
    }

    /// What is known of an order: itself, and what came of it.
    pub async fn order(&self, id: Uuid) -> Stored<Option<(Order, Option<Outcome>)>> {
        let Self::Redb(store) = self;
        store.order(id)
    }

    /// The records of a kind that are kept here, by id.
    pub async fn records(&self, kind: RecordKind) -> Stored<Vec<(String, Value)>> {
        let Self::Redb(store) = self;
        store.records(kind)
    }

    /// Keeps records, each in the place of the one with its id.
    pub async fn records_put(&self, puts: Vec<RecordPut>) -> Stored<()> {
        let Self::Redb(store) = self;
        store.records_replace(Vec::new(), puts, Vec::new()).await
    }

    /// Empties kinds, keeps records and sets values of the program's own, in one transaction.
    pub async fn records_replace(
        &self,
        emptied: Vec<RecordKind>,
        puts: Vec<RecordPut>,
        meta: Vec<(String, String)>,
    ) -> Stored<()> {
        let Self::Redb(store) = self;
        store.records_replace(emptied, puts, meta).await
    }

    /// Keeps audit rows.
    pub async fn audit(&self, rows: Vec<AuditRow>) -> Stored<()> {
        let Self::Redb(store) = self;
        store.audit(rows).await
    }

    /// Audit rows, newest first.
    pub async fn audit_list(&self, page: &Page) -> Stored<Listed<AuditRow>> {
        let Self::Redb(store) = self;
        store.audit_list(page)
    }
}
