//! A question in, an answer out, with the effects it has.
//!
//! A `Turn` is everything one person sent at once: text, a pin, files, the message it answers,
//! and what the conversation remembers. The engine cleans the text, lets fixed rules take what
//! they know (menus, `más`, greetings, pins), finds the entities, asks the planner which tool
//! answers, runs it within the caps, and returns a `Reply`: the page to send, the whole answer,
//! the memory to keep and the trace of how it came about. It writes nothing itself: who called
//! it commits the reply and the memory together.

mod complete;
pub mod extract;
mod turn;

pub use complete::looks_complete;
pub use turn::{Channel, Kind, MediaNote, Provider, Reply, ScopeMark, SharedLocation, ToolCall, Trace, Turn};
