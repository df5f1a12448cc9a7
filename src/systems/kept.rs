//! What the store holds of the operator, put into the picture at the start.
//!
//! Without an import the demo operator lies below, and what was changed in it lies over it; after
//! an import the kept records are everything.

use crate::domain::change::{RecordKind, RecordPut};
use crate::store::{Store, StoreError};

use super::Systems;
use super::picture::BadRecord;

/// The key under which the store says whose records it holds.
pub const OPERATOR_KEY: &str = "operator";
/// Its value once anything was imported.
pub const IMPORTED: &str = "import";

/// The kept records can't be had.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// The store did not give them.
    #[error("the kept records can't be read")]
    Store(#[from] StoreError),
    /// One of them is not what it should be.
    #[error(transparent)]
    Record(#[from] BadRecord),
}

/// Puts what the store holds into the picture.
pub async fn load(store: &Store, systems: &Systems) -> Result<(), KeptError> {
    let mut puts = Vec::new();
    // What a system outside holds is read there.
    let here = || RecordKind::ALL.iter().filter(|kind| !systems.owned().contains(kind));
    for kind in here() {
        let kept = store.records(*kind).await?;
        puts.extend(kept.into_iter().map(|(id, value)| RecordPut { kind: *kind, id, value }));
    }
    let imported = store.meta_get(OPERATOR_KEY).await?.as_deref() == Some(IMPORTED);
    if puts.is_empty() && !imported {
        return Ok(());
    }
    let emptied = if imported {
        here().copied().collect()
    } else {
        Vec::new()
    };
    Ok(systems.picture().change(emptied, puts, Vec::new()).await?)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;
    use crate::domain::clock::ZoneTimes;
    use crate::domain::ids::TaskId;
    use crate::store::StoreLimits;
    use crate::world::{World, WorldHandle};

    #[tokio::test]
    async fn what_was_changed_lies_over_the_demo_and_an_import_leaves_nothing_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreLimits::default()).unwrap();
        let demo = || {
            let world = World::demo(Timestamp::UNIX_EPOCH, ZoneTimes::new(TimeZone::UTC, vec![])).unwrap();
            Systems::embedded(WorldHandle::new(world))
        };
        let id = TaskId::parse("T-10001").unwrap();
        let systems = demo();
        let picture = systems.picture();
        let mut task = picture.handle().load().task(&id).unwrap().clone();
        task.title = "Otra".to_owned();
        let put = RecordPut {
            kind: RecordKind::Tasks,
            id: id.to_string(),
            value: json!(task),
        };
        store.records_put(vec![put]).await.unwrap();
        load(&store, &systems).await.unwrap();
        assert_eq!(picture.handle().load().task(&id).unwrap().title, "Otra");
        assert!(picture.handle().load().tasks().len() > 1000);

        let meta = vec![(OPERATOR_KEY.to_owned(), IMPORTED.to_owned())];
        store.records_replace(vec![], vec![], meta).await.unwrap();
        let systems = demo();
        let picture = systems.picture();
        load(&store, &systems).await.unwrap();
        assert_eq!(picture.handle().load().tasks().len(), 1);
    }
}
