//! What callers ask of the writer: values are made ready here, put away there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::conversations::{Change, State};
use super::inbox::{Arrival, InboxRow, Outcome, Taken};
use super::outbox::Letter;
use super::tables::{decode, encode};
use super::writer::{Job, Work};
use super::{RedbStore, addresses, conversations, dead, inbox, job, media, outbox, receipts};
use crate::domain::message::{Address, Inbound};
use crate::domain::outbound::{NewOutbound, Outbound};
use crate::store::delivery::{Receipt, Receipted, Settle};
use crate::store::records::MediaRecord;
use crate::store::turn::{Ingested, Lease, LeasedTurn, Leasing, Retried, Seen, TurnEffects, TurnRecord};
use crate::store::{StoreError, StoreLimits};

impl RedbStore {
    pub(in crate::store) async fn ingest(
        &self,
        message: Inbound,
        conversation: &str,
        hold: Duration,
    ) -> Result<Ingested, StoreError> {
        let arrival = Arrival::new(message, conversation, hold, self.limits())?;
        self.write_or_busy(move |work| inbox::ingest(work, arrival)).await
    }

    pub(in crate::store) async fn lease(&self, lease_for: Duration) -> Result<Leasing, StoreError> {
        let jobs = self.handle.jobs.as_ref().map(mpsc::Sender::downgrade);
        let lease = move |work: &mut Work<'_>| {
            Ok(inbox::lease(work, lease_for)?.map(|taken| {
                let (conversation, id) = (Arc::clone(&taken.conversation), taken.lease);
                (
                    taken,
                    Delivery {
                        jobs,
                        conversation,
                        id,
                        done: false,
                    },
                )
            }))
        };
        match self.write(lease).await? {
            Ok((taken, mut delivery)) => {
                delivery.done = true;
                Ok(Leasing::Turn(Box::new(turn(taken)?)))
            }
            Err(next_due) => Ok(Leasing::Idle { next_due }),
        }
    }

    pub(in crate::store) async fn extend(&self, lease: &Lease, by: Duration) -> Result<(), StoreError> {
        let (conversation, id) = (Arc::clone(&lease.conversation), lease.id);
        self.write(move |work| inbox::extend(work, &conversation, id, by)).await
    }

    pub(in crate::store) async fn ack(&self, lease: Lease, effects: TurnEffects) -> Result<Vec<Uuid>, StoreError> {
        let replies = letters(effects.replies, self.limits())?;
        let ids: Vec<Uuid> = replies.iter().map(|letter| letter.id).collect();
        let turn = TurnRecord {
            replies: ids.clone(),
            ..effects.turn
        };
        let mut change = turn_change(&turn, &effects.memory, self.limits())?;
        change.opted_out = effects.opted_out;
        self.write(move |work| inbox::ack(work, lease, Outcome { replies, change }))
            .await?;
        Ok(ids)
    }

    pub(in crate::store) async fn retry(
        &self,
        lease: Lease,
        after: Duration,
        reason: &str,
        last_words: Vec<NewOutbound>,
    ) -> Result<Retried, StoreError> {
        let (reason, letters) = (reason.to_owned(), letters(last_words, self.limits())?);
        self.write(move |work| inbox::retry(work, lease, after, reason, letters))
            .await
    }

    pub(in crate::store) async fn bury(
        &self,
        lease: Lease,
        reason: &str,
        last_words: Vec<NewOutbound>,
    ) -> Result<(), StoreError> {
        let (reason, letters) = (reason.to_owned(), letters(last_words, self.limits())?);
        self.write(move |work| inbox::bury(work, lease, reason, letters)).await
    }

    pub(in crate::store) async fn forgive(&self, conversation: &str) -> Result<(), StoreError> {
        let conversation = conversation.to_owned();
        self.write(move |work| inbox::forgive(work, &conversation)).await
    }

    pub(in crate::store) async fn defer(
        &self,
        lease: Lease,
        after: Duration,
        words: Vec<NewOutbound>,
    ) -> Result<(), StoreError> {
        let letters = letters(words, self.limits())?;
        self.write(move |work| inbox::defer(work, lease, after, letters)).await
    }

    pub(in crate::store) async fn remember(&self, id: &str, turn: TurnRecord, memory: Value) -> Result<(), StoreError> {
        let id = id.to_owned();
        let change = turn_change(&turn, &memory, self.limits())?;
        self.write(move |work| conversations::change(work, &id, change)).await
    }

    pub(in crate::store) async fn opt_out(&self, id: &str) -> Result<(), StoreError> {
        let id = id.to_owned();
        let change = Change {
            opted_out: Some(true),
            ..Change::default()
        };
        self.write(move |work| conversations::change(work, &id, change)).await
    }

    pub(in crate::store) async fn enqueue(&self, messages: Vec<NewOutbound>) -> Result<Vec<Uuid>, StoreError> {
        let letters = letters(messages, self.limits())?;
        let ids = letters.iter().map(|letter| letter.id).collect();
        let interrupts: Vec<String> = letters.iter().map(|letter| letter.conversation().to_owned()).collect();
        let put = move |work: &mut Work<'_>| {
            outbox::room(work, letters.len())?;
            for conversation in &interrupts {
                conversations::interrupt(work, conversation)?;
            }
            outbox::enqueue(work, letters)
        };
        self.write(put).await?;
        Ok(ids)
    }

    pub(in crate::store) async fn outbox_due(&self, limit: usize) -> Result<Vec<Outbound>, StoreError> {
        self.write(move |work| outbox::due(work, limit)).await
    }

    pub(in crate::store) async fn outbox_next_due(&self) -> Result<Option<Instant>, StoreError> {
        self.write(|work| Ok(outbox::next_due(work))).await
    }

    pub(in crate::store) async fn outbox_hold(&self, holds: Vec<(Uuid, Instant)>) -> Result<(), StoreError> {
        self.write(move |work| {
            outbox::hold(work, &holds);
            Ok(())
        })
        .await
    }

    pub(in crate::store) async fn outbox_start(&self, id: Uuid) -> Result<Outbound, StoreError> {
        self.write(move |work| outbox::start(work, id)).await
    }

    pub(in crate::store) async fn outbox_settle(&self, id: Uuid, settle: Settle) -> Result<Outbound, StoreError> {
        if let Settle::Shrunk { body } = &settle {
            encode("outbound message", body, self.limits().row_bytes)?;
        }
        self.write(move |work| outbox::settle(work, id, settle)).await
    }

    pub(in crate::store) async fn outbox_unsettled(&self) -> Result<Vec<Outbound>, StoreError> {
        self.write(outbox::unsettled).await
    }

    pub(in crate::store) async fn receipt(&self, receipt: Receipt) -> Result<Receipted, StoreError> {
        self.write(move |work| receipts::receipt(work, receipt)).await
    }

    pub(in crate::store) async fn bind(&self, address: &Address, person: Option<&str>) -> Result<(), StoreError> {
        let (address, person) = (address.clone(), person.map(str::to_owned));
        self.write(move |work| addresses::bind(work, &address, person.as_deref()))
            .await
    }

    pub(in crate::store) async fn dead_retry(&self, id: u64) -> Result<(), StoreError> {
        self.write(move |work| dead::retry(work, id)).await
    }

    pub(in crate::store) async fn dead_drop(&self, id: u64) -> Result<(), StoreError> {
        self.write(move |work| dead::drop_letter(work, id)).await
    }

    pub(in crate::store) async fn media_put(&self, record: MediaRecord) -> Result<(), StoreError> {
        let bytes = encode("media record", &record, self.limits().row_bytes)?;
        self.write(move |work| media::put(work, &record, &bytes)).await
    }

    pub(in crate::store) async fn media_forget(
        &self,
        before: Timestamp,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        self.write(move |work| media::forget(work, before, limit)).await
    }

    pub(in crate::store) async fn meta_put(&self, key: &str, value: &str) -> Result<(), StoreError> {
        let (key, value) = (key.to_owned(), value.to_owned());
        self.write(move |work| work.tables.meta()?.put(key.as_str(), value.as_str()))
            .await
    }

    pub(in crate::store) async fn flush(&self) -> Result<(), StoreError> {
        self.write(|_| Ok(())).await
    }
}

/// A leased turn on its way to the caller. If the caller has gone meanwhile, the turn goes back.
struct Delivery {
    jobs: Option<mpsc::WeakSender<Job>>,
    conversation: Arc<str>,
    id: u64,
    done: bool,
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let lease = Lease {
            conversation: Arc::clone(&self.conversation),
            id: self.id,
            seen: Seen::default(),
        };
        let (back, _) = job(move |work| inbox::defer(work, lease, Duration::ZERO, Vec::new()));
        let jobs = self.jobs.as_ref().and_then(mpsc::WeakSender::upgrade);
        // When there is no room, the lease ends by its time.
        let _ = jobs.map(|jobs| jobs.try_send(back));
    }
}

pub(super) fn letters(messages: Vec<NewOutbound>, limits: &StoreLimits) -> Result<Vec<Letter>, StoreError> {
    messages
        .into_iter()
        .map(|message| Letter::new(message, limits))
        .collect()
}

fn turn_change(turn: &TurnRecord, memory: &Value, limits: &StoreLimits) -> Result<Change, StoreError> {
    Ok(Change {
        turn: Some((turn.at, encode("turn", turn, limits.row_bytes)?)),
        memory: Some(encode("memory", memory, limits.row_bytes)?),
        ..Change::default()
    })
}

/// Reads a leased turn.
fn turn(taken: Taken) -> Result<LeasedTurn, StoreError> {
    let mut messages = Vec::with_capacity(taken.rows.len());
    for bytes in &taken.rows {
        messages.push(decode::<InboxRow>("inbox row", bytes)?.message);
    }
    let State { mut row, memory } = taken.state;
    let seen = messages.last().map_or_else(Seen::default, |last| Seen {
        reply_to: Some(last.from.clone()),
        our_number: Some(last.to.clone()),
        last_inbound_at: Some(last.received_at),
    });
    row.take_over(seen.clone());
    row.person = taken.person;
    let memory = memory.map_or(Ok(Value::Null), |bytes| decode("memory", &bytes))?;
    let conversation = row.with(taken.conversation.to_string(), memory);
    let lease = Lease {
        conversation: taken.conversation,
        id: taken.lease,
        seen,
    };
    Ok(LeasedTurn {
        lease,
        conversation,
        messages,
        attempt: taken.attempt,
    })
}
