//! The way to the operator's systems: what they hold comes in, what a person confirmed goes out.
//!
//! The embedded operator (the demo, or what was imported) is always there and needs no network.
//! Each call to a system outside says on the [`Board`] how it went.

mod board;
pub mod embedded;
mod picture;
mod smtp;

use std::sync::{Arc, OnceLock};

pub use board::{Board, Circuit, Probe, Standing};
pub use picture::{Age, BadRecord, Picture, system_of};
pub use smtp::{BadMail, Smtp};

use crate::domain::change::{Change, Effect, Order};
use crate::world::WorldHandle;

/// Why a write was not done, or may not have been.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteFault {
    /// The system said no: repeating it changes nothing.
    #[error("the system refused: {reason}")]
    Refused {
        /// In words, without secrets or people.
        reason: String,
    },
    /// It surely did not arrive.
    #[error("the system was not reached")]
    Unsent,
    /// It may have arrived: look before it is sent again.
    #[error("whether it arrived is not known")]
    Unknown,
    /// No system takes this kind of change.
    #[error("no system is set up for this")]
    NotConfigured,
}

/// The operator's systems; clones are the same ones.
#[derive(Debug, Clone)]
pub struct Systems(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    picture: Picture,
    board: Board,
    mail: OnceLock<Smtp>,
}

impl Systems {
    /// The embedded operator alone, whose picture is behind this handle.
    pub fn embedded(world: WorldHandle) -> Self {
        Self(Arc::new(Inner {
            picture: Picture::new(world),
            board: Board::default(),
            mail: OnceLock::new(),
        }))
    }

    /// Mails go by this server from now on; the first one named counts.
    pub fn mail_by(&self, mail: Smtp) {
        self.0.board.list(smtp::NAME, &["email"]);
        let _ = self.0.mail.set(mail);
    }

    /// Carries an order out, once: an order whose outcome is not known is looked up by [`Systems::verify`], never
    /// carried out again. What comes back is for the ledger and the picture; nothing here keeps it.
    pub async fn perform(&self, order: &Order) -> Result<Effect, WriteFault> {
        if let (Change::SendEmail { .. }, Some(mail)) = (&order.change, self.0.mail.get()) {
            return mail.perform(order, &self.0.board).await;
        }
        embedded::perform(&self.0.picture.handle().load(), order)
    }

    /// Reads whether an order was carried out: Some, it was; None, it was not.
    #[expect(clippy::unused_async, reason = "a system outside is asked by a request")]
    pub async fn verify(&self, _order: &Order) -> Result<Option<Effect>, WriteFault> {
        // The embedded operator's effect and its record are one transaction: what is not recorded was not done.
        Ok(None)
    }

    /// How each outside service stands.
    pub fn board(&self) -> &Board {
        &self.0.board
    }

    /// The keeper of the picture.
    pub fn picture(&self) -> &Picture {
        &self.0.picture
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;
    use uuid::Uuid;

    use super::*;
    use crate::domain::clock::ZoneTimes;
    use crate::world::World;

    #[tokio::test]
    async fn what_no_system_takes_is_said_to_be_so() {
        let times = ZoneTimes::new(TimeZone::UTC, vec![]);
        let world = World::demo(Timestamp::UNIX_EPOCH, times).unwrap();
        let systems = Systems::embedded(WorldHandle::new(world));
        let order = Order {
            id: Uuid::nil(),
            change: Change::SendEmail {
                to: vec![],
                subject: String::new(),
                body: String::new(),
            },
            by: None,
            at: Timestamp::UNIX_EPOCH,
        };
        assert_eq!(systems.perform(&order).await, Err(WriteFault::NotConfigured));
    }
}
