//! The one thread that writes.
//!
//! It takes whatever has queued, does it all in one transaction with one sync, and answers everyone.
//! No timer: alone, an operation waits for nothing but its own sync; under load, the batch grows.
//! An operation that fails by itself (a lost lease, a full inbox) has changed nothing and leaves the
//! others alone. When the disk fails, all of the batch fails, the database is opened anew and what
//! is held in memory is read again from it: memory never runs ahead of the disk.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use redb::{Database, WriteTransaction};
use tokio::sync::mpsc;

use super::index::Index;
use super::shared::Shared;
use super::sweep::Sweeper;
use super::tables::Tables;
use crate::store::{StoreError, StoreLimits};

/// Tells the caller how it went, after the commit; Some is why the whole batch failed.
pub(super) type Answer = Box<dyn FnOnce(Option<&StoreError>) + Send>;
/// One operation: what it does within the transaction; or, when there can be none, the reason to pass on.
pub(super) type Job = Box<dyn for<'a, 'b> FnOnce(Result<&'a mut Work<'b>, &'a StoreError>) -> Option<Answer> + Send>;

/// Pause after a failed transaction, so that a full disk does not keep a processor busy.
const FAILED_PAUSE: Duration = Duration::from_millis(50);

/// What an operation works with.
pub(super) struct Work<'t> {
    /// The tables of this transaction.
    pub tables: Tables<'t>,
    /// What is held in memory.
    pub index: &'t mut Index,
    /// The bounds.
    pub limits: &'t StoreLimits,
    /// The machine's monotonic time of this batch.
    pub now: Instant,
    /// The machine's time of this batch.
    pub wall: Timestamp,
    /// Whether the batch made work for the inbox.
    pub wake_inbox: bool,
    /// Whether the batch made work for the outbox.
    pub wake_outbox: bool,
    /// Why the batch can't be committed.
    pub fatal: Option<StoreError>,
}

/// The thread's own things.
pub(super) struct Writer {
    pub shared: Arc<Shared>,
    pub jobs: mpsc::Receiver<Job>,
    pub index: Index,
    pub limits: StoreLimits,
    pub sweeper: Sweeper,
    /// Whether the last transaction failed.
    pub failing: bool,
}

impl Writer {
    /// Works until the last sender is gone and everything queued is done.
    pub fn run(mut self) {
        while let Some(first) = self.jobs.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < self.limits.batch_ops
                && let Ok(job) = self.jobs.try_recv()
            {
                batch.push(job);
            }
            self.step(batch);
            if let Some(chore) = self.sweeper.due(Instant::now(), &self.limits) {
                self.step(vec![chore]);
            }
        }
        self.shared.close();
    }

    /// One transaction.
    fn step(&mut self, batch: Vec<Job>) {
        let mut answers = Vec::with_capacity(batch.len());
        let done = match self.database() {
            Ok(database) => self.transact(&database, batch, &mut answers),
            Err(error) => Err(refuse(batch, error)),
        };
        self.shared.report(self.index.depths(), done.as_ref().err());
        match &done {
            Ok((inbox, outbox)) => {
                self.stand_up();
                self.shared.wake(*inbox, *outbox);
            }
            Err(error) => self.fall(error),
        }
        let failed = done.as_ref().err();
        for answer in answers {
            answer(failed);
        }
        if failed.is_some() {
            std::thread::sleep(FAILED_PAUSE);
        }
    }

    /// Does the batch and commits it; tells which workers have something to do.
    fn transact(
        &mut self,
        database: &Database,
        batch: Vec<Job>,
        answers: &mut Vec<Answer>,
    ) -> Result<(bool, bool), StoreError> {
        let (changes, operations) = (Cell::new(0), batch.len());
        let txn = match database.begin_write() {
            Ok(txn) => txn,
            Err(error) => return Err(refuse(batch, error.into())),
        };
        let woken = self.perform(&txn, &changes, batch, answers)?;
        if changes.get() > 0 {
            let started = Instant::now();
            txn.commit()?;
            if let Some(metrics) = self.shared.metrics.get() {
                metrics.commit(started.elapsed(), operations);
            }
        } else {
            txn.abort()?;
        }
        Ok(woken)
    }

    fn perform(
        &mut self,
        txn: &WriteTransaction,
        changes: &Cell<u64>,
        batch: Vec<Job>,
        answers: &mut Vec<Answer>,
    ) -> Result<(bool, bool), StoreError> {
        let mut work = Work {
            tables: Tables::new(txn, changes),
            index: &mut self.index,
            limits: &self.limits,
            now: Instant::now(),
            wall: Timestamp::now(),
            wake_inbox: false,
            wake_outbox: false,
            fatal: None,
        };
        for job in batch {
            answers.extend(job(Ok(&mut work)));
        }
        work.fatal.map_or(Ok((work.wake_inbox, work.wake_outbox)), Err)
    }

    /// The database, opened anew after a failure.
    fn database(&mut self) -> Result<Arc<Database>, StoreError> {
        if let Some(database) = self.shared.database() {
            return Ok(database);
        }
        let database = self.shared.reopen(&self.limits)?;
        self.index.reload(&database, &self.limits, Instant::now())?;
        Ok(database)
    }

    /// After a failure the database is opened anew; said once, however long it lasts.
    fn fall(&mut self, error: &StoreError) {
        if !self.failing {
            tracing::error!(
                store.error = error.code(),
                "the store could not write; it tries again with every operation"
            );
        }
        self.failing = true;
        self.shared.drop_database();
    }

    fn stand_up(&mut self) {
        if self.failing {
            tracing::info!("the store writes again");
        }
        self.failing = false;
    }
}

/// Answers a batch that can't even begin.
fn refuse(batch: Vec<Job>, error: StoreError) -> StoreError {
    for job in batch {
        job(Err(&error));
    }
    error
}
