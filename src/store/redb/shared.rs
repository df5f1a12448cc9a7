//! What readers, callers and the writer share: the open database, the depths, the wake-up calls.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use redb::{Builder, Database, DatabaseError, ReadTransaction, ReadableDatabase, StorageError};
use tokio::sync::Notify;

use super::tables::{META, SCHEMA_VERSION};
use crate::store::records::Depths;
use crate::store::{StoreError, StoreLimits};
use crate::telemetry::Metrics;

/// The database's file in the data directory.
pub const FILE: &str = "relevo.redb";
/// The key of the schema version in the meta table.
const SCHEMA_KEY: &str = "schema_version";

/// Where the database is.
#[derive(Debug)]
pub(super) enum Place {
    /// A file in the data directory.
    Directory(PathBuf),
    /// A disk made for a test, that fails or loses power on demand.
    #[cfg(test)]
    Disk(super::faulty::Disk),
}

/// Shared by the store's handle, its readers and its writer.
#[derive(Debug)]
pub(super) struct Shared {
    place: Place,
    /// None while it is being opened anew, and after closing. A plain lock: held for a clone only.
    database: RwLock<Option<Arc<Database>>>,
    failing: RwLock<Option<String>>,
    /// The writer has ended; without this a missing database is one that is being opened anew.
    closed: AtomicBool,
    inbox: AtomicU64,
    leased: AtomicU64,
    outbox: AtomicU64,
    dead: AtomicU64,
    pub inbox_wake: Notify,
    pub outbox_wake: Notify,
    /// Where commits are counted, once somebody wants to know.
    pub metrics: OnceLock<Arc<Metrics>>,
}

impl Shared {
    /// Opens the database.
    pub fn open(place: Place, limits: &StoreLimits) -> Result<Self, StoreError> {
        let shared = Self {
            place,
            database: RwLock::new(None),
            failing: RwLock::new(None),
            closed: AtomicBool::new(false),
            inbox: AtomicU64::new(0),
            leased: AtomicU64::new(0),
            outbox: AtomicU64::new(0),
            dead: AtomicU64::new(0),
            inbox_wake: Notify::new(),
            outbox_wake: Notify::new(),
            metrics: OnceLock::new(),
        };
        shared.reopen(limits)?;
        Ok(shared)
    }

    /// Opens the database again after it failed.
    pub fn reopen(&self, limits: &StoreLimits) -> Result<Arc<Database>, StoreError> {
        let mut builder = Builder::new();
        builder.set_cache_size(limits.cache_bytes);
        let opened = match &self.place {
            Place::Directory(directory) => {
                let file = directory.join(FILE);
                make_private(directory, &file).map_err(|error| StoreError::Io(Arc::new(error)))?;
                builder.create(file)
            }
            #[cfg(test)]
            Place::Disk(disk) => builder.create_with_backend(disk.plug()),
        };
        let database = Arc::new(opened.map_err(|error| self.refusal(error))?);
        check_schema(&database)?;
        *self.database.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&database));
        Ok(database)
    }

    fn refusal(&self, error: DatabaseError) -> StoreError {
        let directory = match &self.place {
            Place::Directory(directory) => directory.as_path(),
            #[cfg(test)]
            Place::Disk(_) => Path::new("disk"),
        };
        match error {
            // A reader of the failed database is not done yet.
            DatabaseError::DatabaseAlreadyOpen if self.failing().is_some() => StoreError::Io(Arc::new(error)),
            DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => {
                StoreError::Held(Path::to_path_buf(directory))
            }
            DatabaseError::Storage(StorageError::Corrupted(why)) => StoreError::Corrupt(why),
            DatabaseError::Storage(StorageError::Io(error))
                if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) =>
            {
                StoreError::Corrupt(error.to_string())
            }
            other => StoreError::Io(Arc::new(other)),
        }
    }

    pub fn database(&self) -> Option<Arc<Database>> {
        self.database.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A consistent view of what is committed.
    pub fn reading(&self) -> Result<ReadTransaction, StoreError> {
        let database = self
            .database()
            .ok_or_else(|| match self.closed.load(Ordering::Relaxed) {
                true => StoreError::Closed,
                false => StoreError::Io(Arc::new(std::io::Error::other("the database is being opened anew"))),
            })?;
        Ok(database.begin_read()?)
    }

    /// The writer's last act.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.drop_database();
    }

    pub fn drop_database(&self) {
        *self.database.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Publishes what a transaction left behind.
    pub fn report(&self, depths: Depths, failed: Option<&StoreError>) {
        self.inbox.store(depths.inbox, Ordering::Relaxed);
        self.leased.store(depths.leased, Ordering::Relaxed);
        self.outbox.store(depths.outbox, Ordering::Relaxed);
        self.dead.store(depths.dead, Ordering::Relaxed);
        let failing = failed.map(ToString::to_string);
        if failing.is_some() || self.failing().is_some() {
            *self.failing.write().unwrap_or_else(PoisonError::into_inner) = failing;
        }
    }

    pub fn failing(&self) -> Option<String> {
        self.failing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn depths(&self) -> Depths {
        Depths {
            inbox: self.inbox.load(Ordering::Relaxed),
            leased: self.leased.load(Ordering::Relaxed),
            outbox: self.outbox.load(Ordering::Relaxed),
            dead: self.dead.load(Ordering::Relaxed),
        }
    }

    /// Wakes everyone who waits for work, and leaves a permit for whoever is about to.
    pub fn wake(&self, inbox: bool, outbox: bool) {
        for notify in [(inbox, &self.inbox_wake), (outbox, &self.outbox_wake)]
            .iter()
            .filter_map(|(wanted, notify)| wanted.then_some(notify))
        {
            notify.notify_waiters();
            notify.notify_one();
        }
    }
}

/// A directory and a file that hold people's words are their owner's alone, where we make them.
fn make_private(directory: &Path, file: &Path) -> std::io::Result<()> {
    crate::config::secret::private_directory(directory)?;
    match crate::config::secret::private_file().create_new(true).open(file) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Refuses data of a later program and marks a new database with our version.
fn check_schema(database: &Database) -> Result<(), StoreError> {
    let txn = database.begin_write()?;
    let found = {
        let meta = txn.open_table(META)?;
        let version = redb::ReadableTable::get(&meta, SCHEMA_KEY)?;
        version.map(|guard| guard.value().parse::<u32>())
    };
    match found {
        Some(Ok(SCHEMA_VERSION)) => txn.abort()?,
        Some(Ok(found)) if found > SCHEMA_VERSION => {
            return Err(StoreError::Newer {
                found,
                known: SCHEMA_VERSION,
            });
        }
        Some(Ok(_)) | None => {
            txn.open_table(META)?
                .insert(SCHEMA_KEY, SCHEMA_VERSION.to_string().as_str())?;
            txn.commit()?;
        }
        Some(Err(_)) => return Err(StoreError::Corrupt("the schema version is no number".into())),
    }
    Ok(())
}
