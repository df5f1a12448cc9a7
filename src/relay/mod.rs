//! Messages in, answers out, nothing lost between.
//!
//! `ingest` makes a message durable, whichever door it came through (`web::webhook`, `poller`).
//! `inbox` leases a conversation's turn and commits its acknowledgement together with the
//! replies that `answering` composes: consent, who is asking (`people`), what belongs together
//! (`burst`), files (`media`), the engine. `outbox` delivers the replies one person at a time.

mod answering;
mod burst;
mod consent;
pub mod inbox;
pub mod ingest;
mod late;
pub mod media;
pub mod outbox;
mod pace;
mod people;
pub mod poller;
mod typing;

pub use crate::domain::conversation::of_person as conversation_of;
pub use answering::Answering;
pub use inbox::Inbox;
pub use ingest::{Accepted, Ingest};
pub use typing::Typing;
