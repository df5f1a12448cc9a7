//! What probes read besides the picture: the relay's store, its links and its settings.

use std::future::Future;

use futures_util::FutureExt;

use crate::config::{Config, Mail, MediaLinks, Whatsapp};
use crate::store::{Store, StoreError};

/// The desk of the relay itself.
#[derive(Debug, Clone)]
pub struct Desk {
    /// Durable state; None where a question is answered without it.
    pub store: Option<Store>,
    /// Links to stored files.
    pub links: Option<MediaLinks>,
    /// Outgoing mail.
    pub mail: Mail,
    /// Messages that we begin.
    pub whatsapp: Whatsapp,
    /// Our numbers, the one that messages begin from first.
    pub senders: Vec<String>,
}

impl Desk {
    /// The settings alone.
    pub fn of(config: &Config) -> Self {
        Self {
            store: None,
            links: None,
            mail: config.mail.clone(),
            whatsapp: config.whatsapp.clone(),
            senders: config.twilio.senders(),
        }
    }

    /// What a read of the store gives; None without a store, and when it can't be read, which the
    /// store itself reports. A read of the embedded store never waits.
    pub(super) fn read<'s, T, F>(&'s self, read: impl FnOnce(&'s Store) -> F) -> Option<T>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let store = self.store.as_ref()?;
        read(store).now_or_never()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreLimits;

    #[test]
    fn a_read_is_answered_at_once_and_without_a_store_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let config = Config::for_testing(dir.path().to_path_buf()).unwrap();
        let desk = Desk::of(&config);
        assert_eq!(desk.read(|store| store.conversation("wa:E-022")), None);
        let desk = Desk {
            store: Some(Store::open(dir.path(), StoreLimits::default()).unwrap()),
            ..desk
        };
        assert_eq!(desk.read(|store| store.conversation("wa:E-022")), Some(None));
    }
}
