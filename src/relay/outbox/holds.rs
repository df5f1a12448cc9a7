//! Messages that the pace holds back: out of the store's list until their time, so that people
//! who have to wait never hide those who need not.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};
use std::time::Instant;

use uuid::Uuid;

use super::Outbox;
use crate::domain::message::Address;
use crate::store::StoreError;

impl Outbox {
    /// Keeps messages out of the store's list until their time: a list of people who have to wait
    /// must not hide those who need not.
    pub(super) async fn hold(&self, holds: &[(Address, Uuid, Instant)]) -> Result<(), StoreError> {
        if holds.is_empty() {
            return Ok(());
        }
        let until = holds.iter().map(|(_, id, at)| (*id, *at));
        self.store.outbox_hold(until.collect()).await?;
        // Whoever's message before arrived in between need not wait after all.
        let free: Vec<_> = {
            let kept = self.holds();
            let free = holds.iter().filter(|(to, id, _)| kept.get(to) != Some(id));
            free.map(|(_, id, _)| (*id, Instant::now())).collect()
        };
        if !free.is_empty() {
            self.store.outbox_hold(free).await?;
            self.store.outbox_wake().notify_one();
        }
        Ok(())
    }

    /// A message is on the phone, or never will be: the person's next one is due.
    pub(super) async fn arrived(&self, to: &Address, id: Uuid) -> Result<(), StoreError> {
        if !self.pace().arrived(to, id) {
            return Ok(());
        }
        let held = self.holds().remove(to);
        if let Some(held) = held {
            self.store.outbox_hold(vec![(held, Instant::now())]).await?;
        }
        self.store.outbox_wake().notify_one();
        Ok(())
    }

    pub(super) fn holds(&self) -> MutexGuard<'_, HashMap<Address, Uuid>> {
        self.holds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
