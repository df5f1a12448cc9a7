//! Where our messages stand, by the message list: the only way without a public URL, and the net
//! under lost callbacks with one.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::{PollError, Poller};
use crate::domain::outbound::{Delivery, Outbound};
use crate::store::Page;
use crate::twilio::inbound::StatusUpdate;

/// Messages asked about, the newest.
const ROWS: usize = 200;
/// Messages of one page of the list.
const PAGE_SIZE: u16 = 200;
/// Pages read.
const PAGES_MAX: usize = 3;
/// A phone that was off for so long is not asked about any more.
const ASKED_FOR: SignedDuration = SignedDuration::from_hours(48);
/// A message that left so recently is asked about in every round, an older one once a minute.
const FRESH: SignedDuration = SignedDuration::from_mins(2);
/// The pause for older ones.
const OLDER_EVERY: Duration = Duration::from_secs(60);

impl Poller {
    /// Asks where the messages stand that have not arrived yet, and tells the outbox.
    pub(super) async fn states(&mut self, all: bool) -> Result<(), PollError> {
        let now = Timestamp::now();
        let sent = self.store.sent(&Page::first(ROWS)).await?.rows;
        let pending: Vec<&Outbound> = sent.iter().filter(|o| self.is_pending(o, now)).collect();
        let fresh = pending.iter().any(|o| now.duration_since(o.updated_at) < FRESH);
        let Some(oldest) = pending.iter().map(|o| o.created_at).min() else {
            return Ok(());
        };
        if !all && !fresh && self.states_at.is_some_and(|at| at.elapsed() < OLDER_EVERY) {
            return Ok(());
        }
        self.states_at = Some(Instant::now());
        for sender in &self.senders {
            if !pending.iter().any(|o| o.message.from == *sender) {
                continue;
            }
            let mut page = self.client.list_outbound(sender, oldest, PAGE_SIZE).await?;
            for n in 1..=PAGES_MAX {
                for listed in &page.messages {
                    let ours = pending.iter().find(|o| o.sid.as_ref() == Some(&listed.sid));
                    if ours.is_none_or(|o| listed.delivery() <= o.delivery) {
                        continue;
                    }
                    let update = StatusUpdate {
                        sid: listed.sid.clone(),
                        outbox: None,
                        delivery: listed.delivery(),
                        error_code: listed.error(),
                        detail: None,
                    };
                    self.outbox.receipt(update).await?;
                }
                match page.next.filter(|_| n < PAGES_MAX) {
                    Some(next) => page = self.client.next_page(&next).await?,
                    None => break,
                }
            }
        }
        Ok(())
    }

    fn is_pending(&self, outbound: &Outbound, now: Timestamp) -> bool {
        matches!(outbound.delivery, Delivery::Accepted | Delivery::Sent)
            && outbound.sid.is_some()
            && self.senders.contains(&outbound.message.from)
            && now.duration_since(outbound.created_at) < ASKED_FOR
    }
}
