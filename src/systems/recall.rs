//! The last picture of the systems outside, kept in the store: a restart begins with it and says how old it is.

use std::collections::HashMap;

use jiff::Timestamp;

use super::kept::KeptError;
use super::outside::Outside;
use super::sync::print;
use super::{Age, Systems};
use crate::domain::change::{RecordKind, RecordPut};
use crate::store::{Store, StoreError};

/// Records put away in one transaction: more would keep the writer from everybody else for too long.
const CHUNK_RECORDS: usize = 2_000;

/// The key under which the store says when a kind's records are from.
fn as_of_key(kind: RecordKind) -> String {
    format!("as_of.{}", kind.as_str())
}

/// What is known of a kind from a run before.
#[derive(Debug)]
pub(super) struct Recalled {
    pub(super) as_of: Timestamp,
    pub(super) prints: HashMap<u64, u64>,
}

impl Systems {
    /// Puts the last picture of the systems outside in place; from now on each reading is kept.
    pub async fn recall(&self, store: &Store) -> Result<(), KeptError> {
        for system in &self.0.outside {
            let kinds: Vec<RecordKind> = system.lists.kinds().collect();
            for kind in kinds {
                let as_of = store.meta_get(&as_of_key(kind)).await?;
                let Some(as_of) = as_of.and_then(|text| text.parse::<Timestamp>().ok()) else {
                    continue;
                };
                let kept = store.records(kind).await?;
                let puts: Vec<RecordPut> = kept
                    .into_iter()
                    .map(|(id, value)| RecordPut { kind, id, value })
                    .collect();
                system.learn_keys(&puts);
                let prints = puts
                    .iter()
                    .map(|put| (print(&put.id), print(&put.value.to_string())))
                    .collect();
                let age = Age {
                    as_of: Some(as_of),
                    live: false,
                    down_since: None,
                };
                match self.picture().change(vec![], puts, vec![(kind, age)]).await {
                    Ok(()) => system.recalls().insert(kind, Recalled { as_of, prints }),
                    // Read anew in a moment; a start must not fail on what an older version kept.
                    Err(bad) => {
                        tracing::warn!(system = system.rest.name(), %bad, "the last picture can't be used");
                        None
                    }
                };
            }
            let _ = system.store.set(store.clone());
        }
        Ok(())
    }
}

impl Outside {
    /// Keeps what a reading changed.
    pub(super) async fn keep(
        &self,
        emptied: &[RecordKind],
        records: &[RecordPut],
        kind: RecordKind,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let Some(store) = self.store.get() else { return Ok(()) };
        let done = (as_of_key(kind), at.to_string());
        let mut chunks = records.chunks(CHUNK_RECORDS).map(<[RecordPut]>::to_vec);
        let first = chunks.next().unwrap_or_default();
        if records.len() <= CHUNK_RECORDS {
            return store.records_replace(emptied.to_vec(), first, vec![done]).await;
        }
        // Until all of it is there it is of no time: a crash in between leaves nothing half believed.
        let begun = (as_of_key(kind), String::new());
        store.records_replace(emptied.to_vec(), first, vec![begun]).await?;
        for chunk in chunks {
            store.records_put(chunk).await?;
        }
        store.records_replace(vec![], vec![], vec![done]).await
    }
}
