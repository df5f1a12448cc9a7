//! What probes read besides the picture: the relay's store, its links and its settings.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use uuid::Uuid;

use crate::config::{Config, Mail, MediaLinks, Whatsapp};
use crate::store::{MailDraft, Store, StoreError};
use crate::systems::Board;

/// How long a draft may take to be durable.
const DRAFT_WAIT: Duration = Duration::from_secs(2);

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
    /// How each service stands.
    pub board: Option<Board>,
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
            board: None,
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

    /// Keeps a draft; its id once it is durable. The writer is a thread of its own and answers within
    /// milliseconds; one that does not is not waited for.
    pub(super) fn keep_draft(&self, draft: MailDraft) -> Option<Uuid> {
        let (store, id) = (self.store.as_ref()?, draft.id);
        waited(store.draft_put(draft), DRAFT_WAIT)?.ok().map(|()| id)
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What a future gives within a time; None when it takes longer. Blocks this thread.
fn waited<F: Future>(future: F, at_most: Duration) -> Option<F::Output> {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let (mut cx, until) = (Context::from_waker(&waker), Instant::now() + at_most);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return Some(output);
        }
        let left = until.checked_duration_since(Instant::now())?;
        thread::park_timeout(left);
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
