//! The typing indicator: shown when a turn takes longer than a moment.
//!
//! It marks the message as read and lasts until the reply or 25 s (Twilio, public beta). A
//! failure costs nothing and is not repeated.

use std::time::Duration;

use tokio::task::AbortHandle;

use crate::domain::message::MessageSid;
use crate::twilio::Client;

/// Shows the indicator, or does nothing where there is no Twilio.
#[derive(Clone)]
pub struct Typing {
    client: Option<Client>,
    after: Duration,
}

/// Ends the wait when the turn is done first.
pub struct Pending(Option<AbortHandle>);

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

impl Typing {
    /// Through `client`, once a turn has taken `after`.
    pub fn new(client: Option<Client>, after: Duration) -> Self {
        Self { client, after }
    }

    /// Starts the wait; the turn holds the guard for as long as it runs.
    pub fn after_a_while(&self, sid: &MessageSid) -> Pending {
        let Some(client) = self.client.clone() else {
            return Pending(None);
        };
        let (sid, after) = (sid.clone(), self.after);
        let task = tokio::spawn(async move {
            tokio::time::sleep(after).await;
            if let Err(e) = client.typing(&sid).await {
                tracing::debug!("no typing indicator: {e}");
            }
        });
        Pending(Some(task.abort_handle()))
    }
}
