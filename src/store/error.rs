//! What can go wrong in the store, and whether trying again helps.

use std::path::PathBuf;
use std::sync::Arc;

/// An operation of the store was not done; nothing of it was kept.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Another process has the data directory open.
    #[error("the data in {} is held by another process", .0.display())]
    Held(PathBuf),
    /// The database file is damaged.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// The database was written by a later version of the program.
    #[error("the database has schema version {found}, this program knows up to {known}")]
    Newer {
        /// The version found.
        found: u32,
        /// The highest version this program reads.
        known: u32,
    },
    /// The disk refused.
    #[error("the disk did not take it")]
    Io(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// A bound of `StoreLimits` is reached.
    #[error("the {what} holds its limit of {limit}")]
    Full {
        /// What is full.
        what: &'static str,
        /// Its limit.
        limit: usize,
    },
    /// The writer does not keep up; try again in a moment.
    #[error("{waiting} operations are waiting for the writer")]
    Busy {
        /// How many are waiting.
        waiting: usize,
    },
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
    /// The lease has expired and another worker has the turn.
    #[error("the lease was lost to another worker")]
    LeaseLost,
    /// There is no such row.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The row is not in the state this operation needs.
    #[error("the {what} is not {wanted}")]
    Conflict {
        /// Which kind of row.
        what: &'static str,
        /// The state that was needed.
        wanted: &'static str,
    },
    /// A page was asked for by a cursor that no page of this list gave.
    #[error("`after` is the `next` of the page before")]
    Cursor,
    /// A value exceeds `StoreLimits::row_bytes`.
    #[error("a {what} of {bytes} bytes exceeds the limit of {limit}")]
    TooLarge {
        /// Which kind of row.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A row does not read as what it should be; only this row is concerned.
    #[error("a stored {what} can't be read: {why}")]
    Unreadable {
        /// Which kind of row.
        what: &'static str,
        /// What the parser says (never the content).
        why: String,
    },
}

impl StoreError {
    /// May the same operation succeed later?
    pub fn may_retry(&self) -> bool {
        matches!(self, Self::Io(_) | Self::Full { .. } | Self::Busy { .. })
    }

    /// A short name for metrics and logs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Held(_) => "held",
            Self::Corrupt(_) => "corrupt",
            Self::Newer { .. } => "newer",
            Self::Io(_) => "io",
            Self::Full { .. } => "full",
            Self::Busy { .. } => "busy",
            Self::Closed => "closed",
            Self::LeaseLost => "lease_lost",
            Self::NotFound(_) => "not_found",
            Self::Conflict { .. } => "conflict",
            Self::Cursor => "bad_query",
            Self::TooLarge { .. } => "too_large",
            Self::Unreadable { .. } => "unreadable",
        }
    }

    /// Does it spoil the whole transaction, and not just this operation?
    pub(super) fn is_fatal(&self) -> bool {
        matches!(self, Self::Io(_) | Self::Corrupt(_))
    }
}
