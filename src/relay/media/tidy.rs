//! The folder is kept within its days and its bytes: old files and their records go, then the
//! oldest files while all together are too large, and what a crash left half-written.
//!
//! A file counts from when it last came (`folder::keep` renews the time of one it knows), so no
//! record is younger than its file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;

use super::{Media, folder};
use crate::store::StoreError;

/// How often the folder is looked through.
const EVERY: Duration = Duration::from_secs(15 * 60);
/// Records looked at in one round.
const RECORDS: usize = 1_000;
/// A download's own limit is seconds; what is half-written for longer was a crash's.
const HALF_WRITTEN_MAX: SignedDuration = SignedDuration::from_hours(1);

/// What one round took away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Whole files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that a crash left half-written.
    pub half_written: u64,
}

/// Why a round was not finished; the next one goes on.
#[derive(Debug, thiserror::Error)]
pub enum Untidy {
    /// A record could not be forgotten.
    #[error("media records could not be forgotten")]
    Store(#[from] StoreError),
    /// The folder could not be read.
    #[error("the media folder could not be looked through")]
    Io(#[from] io::Error),
}

impl Media {
    /// Tidies now and then until `shutdown`.
    pub async fn tidy_until(self, shutdown: CancellationToken) {
        loop {
            match self.tidy(Timestamp::now()).await {
                Ok(done) if done == Tidied::default() => {}
                Ok(done) => tracing::info!(
                    files = done.files,
                    bytes = done.bytes,
                    half_written = done.half_written,
                    "old media files were deleted"
                ),
                Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "media was not tidied"),
            }
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    /// One round.
    pub async fn tidy(&self, now: Timestamp) -> Result<Tidied, Untidy> {
        let inner = &self.0;
        let age = SignedDuration::from_hours(24).saturating_mul(i32::try_from(inner.keep_days).unwrap_or(i32::MAX));
        let before = now.saturating_sub(age).unwrap_or(Timestamp::MIN);
        // Nothing is stored meanwhile: a file must not go while its new record is being written.
        let _alone = inner.folder_use.write().await;
        let orphans = inner.store.media_forget(before, RECORDS).await?;
        let (folder, bytes_max) = (inner.folder.clone(), inner.folder_bytes_max);
        tokio::task::spawn_blocking(move || sweep(&folder, &orphans, now, before, bytes_max))
            .await
            .map_err(io::Error::other)?
            .map_err(Untidy::from)
    }
}

/// A file of the folder.
struct Kept {
    at: Timestamp,
    bytes: u64,
    path: PathBuf,
}

fn sweep(folder: &Path, orphans: &[String], now: Timestamp, before: Timestamp, bytes_max: u64) -> io::Result<Tidied> {
    let mut done = Tidied::default();
    let mut kept = Vec::new();
    for file in files(folder)? {
        if folder::is_half_written(&file.path) {
            if now.duration_since(file.at) > HALF_WRITTEN_MAX {
                fs::remove_file(&file.path)?;
                done.half_written += 1;
            }
        } else if file.at < before || orphans.iter().any(|orphan| folder.join(orphan) == file.path) {
            done.take(&file)?;
        } else {
            kept.push(file);
        }
    }
    kept.sort_by_key(|file| file.at);
    let mut total: u64 = kept.iter().map(|file| file.bytes).sum();
    for file in &kept {
        if total <= bytes_max {
            break;
        }
        done.take(file)?;
        total = total.saturating_sub(file.bytes);
    }
    Ok(done)
}

impl Tidied {
    fn take(&mut self, file: &Kept) -> io::Result<()> {
        fs::remove_file(&file.path)?;
        self.files += 1;
        self.bytes = self.bytes.saturating_add(file.bytes);
        Ok(())
    }
}

/// Every file on every shelf; a folder that is not there yet has none.
fn files(folder: &Path) -> io::Result<Vec<Kept>> {
    let mut files = Vec::new();
    let shelves = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(files),
        shelves => shelves?,
    };
    for shelf in shelves {
        let shelf = shelf?;
        if !shelf.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(shelf.path())? {
            let file = file?;
            let about = file.metadata()?;
            if about.is_file() {
                files.push(Kept {
                    at: Timestamp::try_from(about.modified()?).map_err(io::Error::other)?,
                    bytes: about.len(),
                    path: file.path(),
                });
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);

    /// Keeps `bytes`, last seen `hours` ago.
    fn put(folder: &Path, bytes: &[u8], hours: u32) -> PathBuf {
        let path = folder.join(folder::keep(folder, bytes, None).unwrap().file);
        age(&path, hours);
        path
    }

    fn age(path: &Path, hours: u32) {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - HOUR * hours).unwrap();
    }

    fn swept(folder: &Path, keep_hours: u32, bytes_max: u64) -> Tidied {
        let now = Timestamp::now();
        sweep(folder, &[], now, now - HOUR * keep_hours, bytes_max).unwrap()
    }

    #[test]
    fn old_files_go_and_one_that_came_again_counts_as_new() {
        let folder = tempfile::tempdir().unwrap();
        let old = put(folder.path(), b"foto vieja", 100);
        let again = put(folder.path(), b"foto repetida", 100);
        folder::keep(folder.path(), b"foto repetida", None).unwrap();
        let young = put(folder.path(), b"foto nueva", 2);
        let done = swept(folder.path(), 48, 1_000);
        assert_eq!((done.files, done.bytes), (1, 10));
        assert_eq!([old, again, young].map(|path| path.exists()), [false, true, true]);
    }

    #[test]
    fn the_oldest_give_way_while_all_together_are_too_large() {
        let folder = tempfile::tempdir().unwrap();
        let files = [(b"aaaaaaaaaa", 3), (b"bbbbbbbbbb", 2), (b"cccccccccc", 1)];
        let paths = files.map(|(bytes, hours)| put(folder.path(), bytes, hours));
        assert_eq!(swept(folder.path(), 48, 30), Tidied::default());
        assert_eq!(swept(folder.path(), 48, 15).files, 2);
        assert_eq!(paths.map(|path| path.exists()), [false, false, true]);
    }

    #[test]
    fn what_a_crash_left_half_written_goes_and_a_download_under_way_stays() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = put(folder.path(), b"entera", 0).parent().unwrap().to_owned();
        let (left, running) = (shelf.join(".0a"), shelf.join(".0b"));
        fs::write(&left, b"med").unwrap();
        age(&left, 2);
        fs::write(&running, b"med").unwrap();
        assert_eq!(swept(folder.path(), 48, 1_000).half_written, 1);
        assert!(!left.exists() && running.exists());
        assert_eq!(
            sweep(Path::new("/nonexistent"), &[], Timestamp::now(), Timestamp::now(), 0).unwrap(),
            Tidied::default()
        );
    }
}
