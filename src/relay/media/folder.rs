//! Files by the hash of their content, each once: written beside, synced, renamed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::kind;
use crate::config::secret::{private_directory, private_file};

/// How the name of a file begins until it is whole.
const HALF_WRITTEN: char = '.';

/// A stored file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stored {
    /// SHA-256 of the content, hexadecimal.
    pub hash: String,
    /// Relative to the folder.
    pub file: String,
    /// By content.
    pub content_type: String,
    pub bytes: u64,
    /// It was there before.
    pub known: bool,
}

/// Keeps the bytes; on return they outlive a power cut. Blocks.
pub(super) fn keep(folder: &Path, bytes: &[u8], hint: Option<&str>) -> io::Result<Stored> {
    let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let content_type = kind::of(bytes, hint);
    // Two letters of the hash make the folders small.
    let shelf: String = hash.chars().take(2).collect();
    let file = format!("{shelf}/{hash}.{}", kind::ending(bytes));
    let path = folder.join(&file);
    let size = bytes.len() as u64;
    let known = fs::metadata(&path).is_ok_and(|there| there.len() == size);
    if known {
        // It counts from today again.
        File::options()
            .write(true)
            .open(&path)?
            .set_modified(SystemTime::now())?;
    } else {
        write(folder, &folder.join(&shelf), &path, bytes)?;
    }
    Ok(Stored {
        hash,
        file,
        content_type,
        bytes: size,
        known,
    })
}

/// Is this one that is still being written, or was when the process ended?
pub(super) fn is_half_written(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with(HALF_WRITTEN))
}

fn write(folder: &Path, shelf: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    private_directory(shelf)?;
    let beside = shelf.join(format!("{HALF_WRITTEN}{}", Uuid::new_v4().simple()));
    let written = write_synced(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // What is left of a full disk's attempt must not stay.
        let _ = fs::remove_file(&beside);
    }
    written?;
    // The names are durable too.
    for directory in [shelf, folder] {
        sync(directory)?;
    }
    Ok(())
}

fn write_synced(path: &PathBuf, bytes: &[u8]) -> io::Result<()> {
    let mut file = private_file().create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_is_stored_once_whatever_it_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let first = keep(folder.path(), b"%PDF-1.7 acta", Some("application/pdf")).unwrap();
        let second = keep(folder.path(), b"%PDF-1.7 acta", Some("image/jpeg")).unwrap();
        assert!(!first.known && second.known);
        assert_eq!((&first.file, &first.content_type), (&second.file, &second.content_type));
        assert!(first.file.ends_with(".pdf"));
        assert_eq!(fs::read(folder.path().join(&first.file)).unwrap(), b"%PDF-1.7 acta");
        let shelf = folder.path().join(first.file.split('/').next().unwrap());
        assert_eq!(fs::read_dir(shelf).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn half_a_file_of_a_crash_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let stored = keep(folder.path(), b"hola mundo", None).unwrap();
        fs::write(folder.path().join(&stored.file), b"hola").unwrap();
        assert!(!keep(folder.path(), b"hola mundo", None).unwrap().known);
        assert_eq!(fs::read(folder.path().join(&stored.file)).unwrap(), b"hola mundo");
    }
}
