//! Messages in, answers out, nothing lost between.
//!
//! `ingest` makes a message durable, whichever door it came through (`web::webhook`, `poller`).
//! `inbox` leases a conversation's turn and commits its acknowledgement together with the
//! replies that `answering` composes: consent, who is asking (`people`), what belongs together
//! (`burst`), files (`media`), the engine. `outbox` delivers the replies one person at a time.

pub mod ingest;
pub mod media;
pub mod outbox;
mod people;
pub mod poller;

pub use ingest::{Accepted, Ingest};
pub use people::conversation_of;
