//! The embedded store: one redb file, one thread that writes, readers beside it.
//!
//! A caller makes its values ready, hands the writer an operation and waits for the answer. Once
//! handed over, the operation is done whether or not the caller still waits.

mod addresses;
mod agenda;
mod conversations;
mod dead;
mod drafts;
#[cfg(test)]
mod faulty;
mod inbox;
mod index;
mod ledger;
mod media;
mod outbox;
mod queues;
mod read;
mod receipts;
mod shared;
mod sweep;
mod tables;
#[cfg(test)]
mod tests;
mod write;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use tokio::sync::{Notify, mpsc, oneshot};

use self::index::Index;
use self::shared::{Place, Shared};
use self::sweep::Sweeper;
use self::writer::{Answer, Job, Work, Writer};
use super::records::{Depths, Health};
use super::{StoreError, StoreLimits};
use crate::telemetry::Metrics;

/// The embedded store; a cheap handle. When the last one is dropped, what is queued is done first.
#[derive(Debug, Clone)]
pub struct RedbStore {
    handle: Arc<Handle>,
}

#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    limits: Arc<StoreLimits>,
    /// None only while it is being dropped.
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the store's writer had panicked");
        }
    }
}

impl RedbStore {
    pub(super) fn open(directory: &Path, limits: StoreLimits) -> Result<Self, StoreError> {
        Self::open_at(Place::Directory(directory.to_owned()), limits)
    }

    pub(super) fn is_begun(directory: &Path) -> bool {
        directory.join(shared::FILE).exists()
    }

    /// The first call counts.
    pub(super) fn count_in(&self, metrics: Arc<Metrics>) {
        let _ = self.handle.shared.metrics.set(metrics);
    }

    fn open_at(place: Place, limits: StoreLimits) -> Result<Self, StoreError> {
        let opening = std::panic::AssertUnwindSafe(|| {
            let shared = Arc::new(Shared::open(place, &limits)?);
            let database = shared.database().ok_or(StoreError::Closed)?;
            let index = Index::load(&database, &limits, Instant::now())?;
            Ok::<_, StoreError>((shared, index))
        });
        // redb panics on a page of no known kind, which is a damaged file like any other.
        let (shared, index) = std::panic::catch_unwind(opening)
            .unwrap_or_else(|_| Err(StoreError::Corrupt("a page is of no known kind".into())))?;
        shared.report(index.depths(), None);
        let (sender, jobs) = mpsc::channel(limits.queue_ops.max(1));
        let writer = Writer {
            shared: Arc::clone(&shared),
            jobs,
            index,
            sweeper: Sweeper::new(&limits),
            limits: limits.clone(),
            failing: false,
        };
        let writer = std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || writer.run())
            .map_err(|error| StoreError::Io(Arc::new(error)))?;
        let handle = Handle {
            shared,
            limits: Arc::new(limits),
            jobs: Some(sender),
            writer: Some(writer),
        };
        Ok(Self {
            handle: Arc::new(handle),
        })
    }

    /// A consistent view of what is committed. While the database waits to be opened anew, which only
    /// the writer does, asking for one gives the writer a reason to try.
    fn reading(&self) -> Result<redb::ReadTransaction, StoreError> {
        let shared = &self.handle.shared;
        shared.reading().inspect_err(|_| {
            if let Some(jobs) = &self.handle.jobs
                && jobs.capacity() == jobs.max_capacity()
            {
                let _ = jobs.try_send(job(|_| Ok(())).0);
            }
        })
    }

    fn limits(&self) -> &StoreLimits {
        &self.handle.limits
    }

    /// Hands over an operation, waiting for room in the queue, and waits for its answer.
    async fn write<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Work<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let jobs = self.handle.jobs.as_ref().ok_or(StoreError::Closed)?;
        let (job, answer) = job(run);
        jobs.send(job).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Hands over an operation, or says at once that the writer does not keep up.
    async fn write_or_busy<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Work<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let jobs = self.handle.jobs.as_ref().ok_or(StoreError::Closed)?;
        let (job, answer) = job(run);
        jobs.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => StoreError::Busy {
                waiting: jobs.max_capacity(),
            },
            mpsc::error::TrySendError::Closed(_) => StoreError::Closed,
        })?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    pub(super) fn depths(&self) -> Depths {
        self.handle.shared.depths()
    }

    pub(super) fn health(&self) -> Health {
        let (waiting, waiting_max) = self.handle.jobs.as_ref().map_or((0, 0), |jobs| {
            (jobs.max_capacity().saturating_sub(jobs.capacity()), jobs.max_capacity())
        });
        let closed = self.handle.jobs.as_ref().is_none_or(mpsc::Sender::is_closed);
        let failing = if closed {
            Some(StoreError::Closed.to_string())
        } else {
            self.handle.shared.failing()
        };
        Health {
            waiting,
            waiting_max,
            failing,
        }
    }

    pub(super) fn inbox_wake(&self) -> &Notify {
        &self.handle.shared.inbox_wake
    }

    pub(super) fn outbox_wake(&self) -> &Notify {
        &self.handle.shared.outbox_wake
    }
}

/// An operation as the writer takes it. One that fails after it has begun to write would leave half
/// of itself in the transaction, so that counts as a failure of the transaction.
fn job<T: Send + 'static>(
    run: impl FnOnce(&mut Work<'_>) -> Result<T, StoreError> + Send + 'static,
) -> (Job, oneshot::Receiver<Result<T, StoreError>>) {
    let (sender, receiver) = oneshot::channel();
    let job: Job = Box::new(move |work| {
        let work = match work {
            Ok(work) => work,
            Err(error) => {
                let _ = sender.send(Err(error.clone()));
                return None;
            }
        };
        let before = work.tables.changes();
        let result = run(work);
        if let Err(error) = &result
            && (error.is_fatal() || work.tables.changes() != before)
        {
            work.fatal.get_or_insert_with(|| error.clone());
        }
        let answer: Answer = Box::new(move |failed| {
            let _ = sender.send(failed.map_or(result, |error| Err(error.clone())));
        });
        Some(answer)
    });
    (job, receiver)
}
