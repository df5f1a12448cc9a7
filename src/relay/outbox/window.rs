//! The 24 hours in which WhatsApp takes free text, by our clock; the file that goes with a message; how
//! Twilio answers.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};

use super::{Outbox, WINDOW_CODE};
use crate::config::MediaLinks;
use crate::domain::outbound::Outbound;
use crate::store::StoreError;
use crate::systems::Board;
use crate::twilio::TwilioError;

/// WhatsApp takes free text for so long after the person's last message.
const WINDOW: SignedDuration = SignedDuration::from_hours(24);

/// Twilio's name on the board.
const BOARD_NAME: &str = "whatsapp";

/// How the person's 24 hours stand, by our clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Window {
    Open,
    Over,
    /// They have not written here, or their first turn is not over.
    Never,
}

impl Outbox {
    /// The same with links to stored files.
    #[must_use]
    pub fn with_links(self, links: MediaLinks) -> Self {
        Self {
            links: Some(links),
            ..self
        }
    }

    /// The same, saying on this board how Twilio answers.
    #[must_use]
    pub fn with_board(self, board: Board) -> Self {
        board.list(BOARD_NAME, &["whatsapp"]);
        Self { board, ..self }
    }

    /// A send ended. Twilio's no to a message is an answer all the same.
    pub(super) fn called<T>(&self, started: Instant, sent: &Result<T, TwilioError>) {
        let error = sent.as_ref().err().filter(|error| match error.status() {
            None => true,
            Some(status) => status >= 500 || matches!(status, 401 | 403 | 429),
        });
        let words = error.map(TwilioError::in_words);
        let outcome = words.as_deref().map_or(Ok(()), Err);
        self.board
            .called(BOARD_NAME, Timestamp::now(), started.elapsed(), outcome);
    }

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
