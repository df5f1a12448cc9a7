//! Files that came with messages: fetched from where Twilio has them, stored once by their hash.
//!
//! In come the messages of a turn, out go the records of their files and a count of those that
//! could not be had. A file that is there already (the turn is tried again) is not fetched again.

mod about;
mod folder;
mod kind;
mod tidy;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;
use tokio::sync::{RwLock, Semaphore};
use uuid::Uuid;

use crate::config::Config;
use crate::domain::message::{Inbound, MediaRef, MessageSid};
use crate::store::{MediaRecord, Store, StoreError};
use crate::telemetry::Metrics;
use crate::twilio::{Client, MediaError};

pub use about::About;
pub use tidy::{Tidied, Untidy};

/// Downloads at once: each may hold a whole file in memory.
const DOWNLOADS_MAX: usize = 3;
/// Under the data directory.
const FOLDER: &str = "media";

/// Fetches and keeps files; clones share its limits.
#[derive(Clone)]
pub struct Media(Arc<Inner>);

struct Inner {
    store: Store,
    clients: Vec<Client>,
    metrics: Arc<Metrics>,
    folder: PathBuf,
    bytes_max: u64,
    files_max: usize,
    time: Duration,
    downloads: Semaphore,
    keep_days: u32,
    folder_bytes_max: u64,
    /// Shared by those who store, held alone by the one who tidies.
    folder_use: RwLock<()>,
}

/// What came of the files of some messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    /// Those that are stored, in the order of their messages.
    pub stored: Vec<MediaRecord>,
    /// How many could not be had, or were beyond the limit.
    pub failed: u32,
}

/// Why a file is not stored.
#[derive(Debug, thiserror::Error)]
enum Lost {
    #[error("no account of ours has received it")]
    Stranger,
    #[error(transparent)]
    Media(#[from] MediaError),
    #[error("it could not be written")]
    Io(#[from] std::io::Error),
    #[error("its record could not be written")]
    Store(#[from] StoreError),
}

impl Media {
    /// Fetches by the client that owns a message's account.
    pub fn new(store: Store, clients: Vec<Client>, config: &Config, metrics: Arc<Metrics>) -> Self {
        Self(Arc::new(Inner {
            store,
            clients,
            metrics,
            folder: config.server.data_dir.join(FOLDER),
            bytes_max: config.media.bytes_max,
            files_max: config.media.files_max,
            time: Duration::from_secs(config.media.timeout_secs),
            downloads: Semaphore::new(DOWNLOADS_MAX),
            keep_days: config.media.keep_days,
            folder_bytes_max: config.media.folder_bytes_max,
            folder_use: RwLock::new(()),
        }))
    }

    /// The files of these messages. Fails never: what can't be had is counted.
    pub async fn fetch(&self, messages: &[&Inbound], about: &About) -> Fetched {
        let announced: usize = messages.iter().map(|m| m.media.len().max(m.num_media as usize)).sum();
        let files = messages
            .iter()
            .flat_map(|m| m.media.iter().enumerate().map(move |(n, file)| (*m, n, file)));
        let wanted = files
            .take(self.0.files_max)
            .map(|(message, n, file)| self.one(message, n, file, about));
        let stored: Vec<MediaRecord> = join_all(wanted).await.into_iter().flatten().collect();
        Fetched {
            failed: u32::try_from(announced.saturating_sub(stored.len())).unwrap_or(u32::MAX),
            stored,
        }
    }

    /// Where a stored file is.
    pub fn path(&self, record: &MediaRecord) -> PathBuf {
        self.0.folder.join(&record.file)
    }

    async fn one(&self, message: &Inbound, n: usize, file: &MediaRef, about: &About) -> Option<MediaRecord> {
        match self.keep(message, n, file, about).await {
            Ok((record, label)) => {
                self.0.metrics.media(label);
                Some(record)
            }
            Err(lost) => {
                let label = match &lost {
                    Lost::Media(error) if error.may_pass() => "failed",
                    Lost::Io(_) | Lost::Store(_) => "failed",
                    Lost::Stranger | Lost::Media(_) => "refused",
                };
                self.0.metrics.media(label);
                tracing::warn!(
                    sid = %message.sid,
                    error = &lost as &dyn std::error::Error,
                    "a file was not fetched"
                );
                None
            }
        }
    }

    async fn keep(
        &self,
        message: &Inbound,
        n: usize,
        file: &MediaRef,
        about: &About,
    ) -> Result<(MediaRecord, &'static str), Lost> {
        let inner = &self.0;
        let id = id(&message.sid, n);
        if let Some(record) = inner.store.media(id).await?
            && tokio::fs::try_exists(self.path(&record)).await.unwrap_or(false)
        {
            return Ok((record, "known"));
        }
        let client = inner.clients.iter().find(|client| client.owns(&message.account));
        let client = client.ok_or(Lost::Stranger)?;
        // The semaphore is never closed.
        let _place = inner.downloads.acquire().await;
        let download = client
            .media_bytes(&file.url, &message.account, &message.sid, inner.bytes_max, inner.time)
            .await?;
        let hint = download.content_type.unwrap_or_else(|| file.content_type.clone());
        let folder = inner.folder.clone();
        let _shared = inner.folder_use.read().await;
        let stored = tokio::task::spawn_blocking(move || folder::keep(&folder, &download.bytes, Some(&hint)))
            .await
            .map_err(|_| std::io::Error::other("the writing task panicked"))??;
        let record = MediaRecord {
            id,
            hash: stored.hash,
            content_type: stored.content_type,
            bytes: stored.bytes,
            file: stored.file,
            message: Some(message.sid.clone()),
            conversation: Some(about.conversation.clone()),
            task_id: about.task_id.clone(),
            site_id: about.site_id.clone(),
            caption: Some(message.body.trim().to_owned()).filter(|caption| !caption.is_empty()),
            stored_at: Timestamp::now(),
            found: serde_json::Value::Null,
        };
        inner.store.media_put(record.clone()).await?;
        Ok((record, if stored.known { "known" } else { "stored" }))
    }
}

/// A file's id follows from its message and place, so that fetching it again makes no second record.
fn id(message: &MessageSid, n: usize) -> Uuid {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(format!("media {message} {n}"));
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(digest) {
        *to = from;
    }
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

impl std::fmt::Debug for Media {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Media")
            .field("folder", &self.0.folder)
            .finish_non_exhaustive()
    }
}
