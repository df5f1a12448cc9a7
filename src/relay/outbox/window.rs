//! The 24 hours in which WhatsApp takes free text, by our clock, and the file that goes with a message.

use jiff::{SignedDuration, Timestamp};

use super::{Outbox, WINDOW_CODE};
use crate::domain::outbound::Outbound;
use crate::store::StoreError;

/// WhatsApp takes free text for so long after the person's last message.
const WINDOW: SignedDuration = SignedDuration::from_hours(24);

/// How the person's 24 hours stand, by our clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Window {
    Open,
    Over,
    /// They have not written here, or their first turn is not over.
    Never,
}

impl Outbox {
    /// Where Twilio finds the file that goes with a message; None where it can't reach us.
    pub(super) fn media_url(&self, outbound: &Outbound) -> Option<String> {
        let (id, links) = (outbound.message.media?, self.links.as_ref()?);
        links.public_link(id, Timestamp::now())
    }

    /// Has the person been silent for longer than WhatsApp takes free text? Their clock decides;
    /// ours only spares a send that is sure to fail.
    pub(super) async fn window(&self, outbound: &Outbound) -> Result<Window, StoreError> {
        if outbound
            .reason
            .as_deref()
            .is_some_and(|reason| reason.starts_with(WINDOW_CODE))
        {
            // It has waited for the person to write, and they have: the conversation only knows
            // of that when their turn ends.
            return Ok(Window::Open);
        }
        let conversation = self.store.conversation(&outbound.message.conversation).await?;
        let last = conversation.and_then(|conversation| conversation.last_inbound_at);
        Ok(Window::since(last, Timestamp::now()))
    }
}

impl Window {
    fn since(last_inbound: Option<Timestamp>, now: Timestamp) -> Self {
        match last_inbound {
            None => Self::Never,
            Some(at) if now.duration_since(at) > WINDOW => Self::Over,
            Some(_) => Self::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_open_for_a_day_after_the_last_message() {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(100);
        let ago = |hours: i64| Some(now - SignedDuration::from_hours(hours));
        assert_eq!(Window::since(ago(24), now), Window::Open);
        assert_eq!(Window::since(ago(25), now), Window::Over);
        assert_eq!(Window::since(None, now), Window::Never);
    }
}
