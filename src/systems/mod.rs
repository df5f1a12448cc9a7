//! The way to the operator's systems: what they hold comes in, what a person confirmed goes out.
//!
//! The embedded operator (the demo, or what was imported) is always there and needs no network.
//! Each call to a system outside says on the [`Board`] how it went.

mod board;
pub mod embedded;
pub mod kept;
mod outside;
mod picture;
mod recall;
mod rest;
mod smtp;
mod sync;

use std::sync::{Arc, OnceLock};

pub use board::{Board, Circuit, Probe, Standing};
pub use picture::{Age, BadRecord, Picture, first_world, system_of};
pub use smtp::{BadMail, Smtp};
pub use sync::{Stepped, Syncer};

use crate::config::Config;
use crate::domain::change::{Change, Effect, Order, RecordKind};
use crate::net::Http;
use crate::telemetry::Metrics;
use crate::world::WorldHandle;
use outside::Outside;
use rest::{Around, Rest, WriteTask};

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
    outside: Vec<Arc<Outside>>,
    /// The kinds of records that systems outside hold.
    owned: Vec<RecordKind>,
}

impl Systems {
    /// The embedded operator alone, whose picture is behind this handle.
    pub fn embedded(world: WorldHandle) -> Self {
        Self(Arc::new(Inner {
            picture: Picture::new(world),
            board: Board::default(),
            mail: OnceLock::new(),
            outside: vec![],
            owned: vec![],
        }))
    }

    /// Mails go by this server from now on; the first one named counts.
    pub fn mail_by(&self, mail: Smtp) {
        self.0.board.list(smtp::NAME, &["email"]);
        let _ = self.0.mail.set(mail);
    }

    /// The systems of the settings, on the picture behind this handle.
    pub fn open(config: &Config, world: WorldHandle, http: &Http, metrics: Option<&Arc<Metrics>>) -> Self {
        let board = Board::default();
        let tz = world.load().times().of(None).clone();
        let mut outside = vec![];
        for (name, spec) in &config.systems {
            let around = Around {
                http: http.clone(),
                board: board.clone(),
                tz: tz.clone(),
                metrics: metrics.cloned(),
            };
            // The settings' check has refused what is no URL and no time zone.
            let Some(rest) = Rest::new(name, spec, around) else {
                continue;
            };
            let system = Arc::new(Outside::new(rest, board.clone()));
            let mut serves: Vec<&'static str> = system.lists.kinds().map(|kind| system_of(kind).as_str()).collect();
            serves.dedup();
            board.list(name, &serves);
            outside.push(system);
        }
        let owned: Vec<RecordKind> = outside.iter().flat_map(|system| system.lists.kinds()).collect();
        let picture = Picture::new(world);
        // Nothing is known before the first reading, and that is said.
        let unread = Age {
            as_of: None,
            live: false,
            down_since: None,
        };
        let ages = owned.iter().map(|kind| (*kind, unread)).collect();
        if let Err(error) = picture.change_now(&[], vec![], ages) {
            tracing::error!(%error, "the picture's age could not be told");
        }
        Self(Arc::new(Inner {
            picture,
            board,
            mail: OnceLock::new(),
            outside,
            owned,
        }))
    }

    /// A reader for each system outside, which keeps the picture fresh once it runs.
    pub fn syncers(&self, clock: crate::domain::clock::Clock) -> Vec<Syncer> {
        let systems = self.0.outside.iter().enumerate();
        systems
            .map(|(place, system)| Syncer::new(Arc::clone(system), self.0.picture.clone(), clock, place))
            .collect()
    }

    /// Carries an order out, once: an order whose outcome is not known is looked up by [`Systems::verify`], never
    /// carried out again. What comes back is for the ledger and the picture; nothing here keeps it.
    pub async fn perform(&self, order: &Order) -> Result<Effect, WriteFault> {
        if let (Change::SendEmail { .. }, Some(mail)) = (&order.change, self.0.mail.get()) {
            return mail.perform(order, &self.0.board).await;
        }
        let world = self.0.picture.handle().load();
        let effect = embedded::perform(&world, order)?;
        let Some(system) = self.taker(&order.change)? else {
            return Ok(effect);
        };
        let task = self.task(system, order, effect);
        let done = system.writes.perform(&system.rest, &system.lists, task).await;
        system.kick.notify_one();
        done
    }

    /// Reads whether an order was carried out: Some, it was; None, it was not.
    pub async fn verify(&self, order: &Order) -> Result<Option<Effect>, WriteFault> {
        if matches!(order.change, Change::SendEmail { .. }) && self.0.mail.get().is_some() {
            // A mail server can't be asked what it has sent.
            return Err(WriteFault::Unknown);
        }
        if matches!(order.change, Change::SendWhatsapp { .. }) {
            // In the outbox and recorded, or neither.
            return Ok(None);
        }
        let Some(system) = self.taker(&order.change)? else {
            // The embedded operator's effect and its record are one transaction: what is not recorded was not done.
            return Ok(None);
        };
        let effect = embedded::perform(&self.0.picture.handle().load(), order)?;
        let task = self.task(system, order, effect);
        system.writes.verify(&system.rest, &system.lists, task).await
    }

    /// Looks at each system outside: is it there, does it take the key, what do its lists hold. Changes nothing; what
    /// is found or wrong comes in words, without secrets or people.
    pub async fn look(&self) -> Vec<(String, Result<String, String>)> {
        let mut looked = vec![];
        for system in &self.0.outside {
            looked.push((system.rest.name().to_owned(), system.look().await));
        }
        looked
    }

    /// The system outside that a change goes to; None: the embedded operator makes it.
    fn taker(&self, change: &Change) -> Result<Option<&Arc<Outside>>, WriteFault> {
        let holder = self
            .0
            .outside
            .iter()
            .find(|system| system.lists.kinds().any(|kind| kind == RecordKind::Tasks));
        match holder {
            Some(system) if system.writes.takes(change) => Ok(Some(system)),
            // A change made here alone would be gone with the next reading.
            Some(_) => Err(WriteFault::NotConfigured),
            None => Ok(None),
        }
    }

    fn task<'a>(&'a self, system: &Outside, order: &'a Order, effect: Effect) -> WriteTask<'a> {
        let key = match &order.change {
            Change::UpdateTask { task_id, .. } | Change::AddNote { task_id, .. } => system.key(task_id.as_str()),
            Change::CreateTask { site_id, .. } => system.key(site_id.as_str()),
            Change::SendEmail { .. } | Change::SendWhatsapp { .. } => String::new(),
        };
        WriteTask {
            order,
            effect,
            key,
            owned: &self.0.owned,
        }
    }

    /// Does the embedded operator carry this out? Then its effect and its record are one.
    pub fn is_embedded(&self, change: &Change) -> bool {
        match change {
            Change::SendEmail { .. } => false,
            // The outbox is in the store that records it.
            Change::SendWhatsapp { .. } => true,
            _ => matches!(self.taker(change), Ok(None)),
        }
    }

    /// The kinds of records that systems outside hold: nothing is kept of them here.
    pub fn owned(&self) -> &[RecordKind] {
        &self.0.owned
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
    use crate::domain::change::Change;
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
