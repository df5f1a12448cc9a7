//! Messages in, answers out, nothing lost between.

pub mod media;
pub mod outbox;
pub mod poller;
