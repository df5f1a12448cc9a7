//! Media records. The files are their owner's; here is which of them nobody needs any more.

use jiff::Timestamp;

use super::tables::decode;
use super::writer::Work;
use crate::store::StoreError;
use crate::store::records::MediaRecord;

/// Keeps a record.
pub(super) fn put(work: &mut Work<'_>, record: &MediaRecord, bytes: &[u8]) -> Result<(), StoreError> {
    let id = record.id.as_u128();
    work.tables.media()?.put(id, bytes)?;
    work.tables.media_hashes()?.put((record.hash.as_str(), id), ())
}

/// Looks at the next `limit` records, forgets those stored before a time, and returns the files that
/// no record needs any more. Ids are in no order, so each call goes on where the last one stopped.
pub(super) fn forget(work: &mut Work<'_>, before: Timestamp, limit: usize) -> Result<Vec<String>, StoreError> {
    let limit = limit.clamp(1, work.limits.sweep_rows.max(1));
    let from = work.index.swept_media;
    let seen = work
        .tables
        .media()?
        .some::<u128, _>(from.., limit, |id, bytes| (id, bytes.to_vec()))?;
    work.index.swept_media = match seen.last() {
        Some((last, _)) if seen.len() == limit => last.saturating_add(1),
        _ => 0,
    };
    let mut files = Vec::new();
    for (id, bytes) in seen {
        let record: MediaRecord = decode("media record", &bytes)?;
        if record.stored_at >= before {
            continue;
        }
        work.tables.media()?.remove(id)?;
        let hash = record.hash.as_str();
        work.tables.media_hashes()?.remove((hash, id))?;
        let others = work
            .tables
            .media_hashes()?
            .some((hash, 0)..=(hash, u128::MAX), 1, |_, ()| ())?;
        if others.is_empty() {
            files.push(record.file);
        }
    }
    Ok(files)
}
