//! One system outside, with all that its readings and its writes share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::Notify;

use super::board::Board;
use super::recall::Recalled;
use super::rest::{KEY, Lists, Rest, Writes};
use crate::domain::change::{RecordKind, RecordPut};
use crate::store::Store;

/// A system outside.
#[derive(Debug)]
pub(super) struct Outside {
    pub(super) rest: Rest,
    pub(super) lists: Lists,
    pub(super) writes: Writes,
    pub(super) board: Board,
    /// Notified when it should be read at once.
    pub(super) kick: Arc<Notify>,
    /// Its own keys of tasks and sites, where they are not the number in our id.
    keys: Mutex<HashMap<String, String>>,
    /// Where its last picture is kept.
    pub(super) store: OnceLock<Store>,
    recalled: Mutex<HashMap<RecordKind, Recalled>>,
}

impl Outside {
    pub(super) fn new(rest: Rest, board: Board) -> Self {
        let spec = rest.spec();
        Self {
            lists: Lists::of(spec),
            writes: Writes::of(spec),
            board,
            kick: Arc::default(),
            keys: Mutex::default(),
            store: OnceLock::new(),
            recalled: Mutex::default(),
            rest,
        }
    }

    /// What a run before knew of each kind.
    pub(super) fn recalls(&self) -> MutexGuard<'_, HashMap<RecordKind, Recalled>> {
        self.recalled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the probe and reads the first page of every list.
    pub(super) async fn look(&self) -> Result<String, String> {
        self.rest.probe().await.map_err(|fault| fault.to_string())?;
        let mut found = vec![];
        for kind in self.lists.kinds() {
            let name = kind.as_str();
            let glance = self
                .lists
                .glance(&self.rest, kind)
                .await
                .map_err(|fault| format!("{name}: {fault}"))?;
            let all = glance.total.map_or_else(String::new, |total| format!(" of {total}"));
            let rejected: u64 = glance.rejected.values().sum();
            let why = glance.rejected.keys().next().map(String::as_str).unwrap_or_default();
            let bad = if rejected == 0 {
                String::new()
            } else {
                format!(", {rejected} rejected ({why})")
            };
            found.push(format!("{name} {}{all}{bad}", glance.rows));
        }
        Ok(found.join("; "))
    }

    /// Remembers what the system calls these records.
    pub(super) fn learn_keys(&self, records: &[RecordPut]) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        for put in records {
            if !matches!(put.kind, RecordKind::Tasks | RecordKind::Sites) {
                continue;
            }
            let key = put.value.get(KEY).and_then(|key| key.as_str());
            if let Some(key) = key.filter(|key| *key != number(&put.id)) {
                keys.insert(put.id.clone(), key.to_owned());
            }
        }
    }

    /// What the system calls a record: its own key, else the number in our id.
    pub(super) fn key(&self, id: &str) -> String {
        let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.get(id).cloned().unwrap_or_else(|| number(id).to_owned())
    }
}

/// The number in an id, without leading zeros.
fn number(id: &str) -> &str {
    let digits = id.rsplit('-').next().unwrap_or(id).trim_start_matches('0');
    if digits.is_empty() { "0" } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_id_has_no_leading_zeros() {
        assert_eq!(
            (number("T-00017"), number("RM-1161"), number("T-00000")),
            ("17", "1161", "0")
        );
    }
}
