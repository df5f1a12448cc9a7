//! The words of the trade: identifiers, records, messages, answers, time.
//!
//! Nothing here does I/O and nothing here imports another module of ours. What enters is
//! text from outside, what leaves is a typed value or an error that says what was expected.

pub mod answer;
pub mod caller;
pub mod change;
pub mod clock;
pub mod conversation;
pub mod entities;
pub mod geo;
pub mod ids;
pub mod mail;
pub mod message;
pub mod outbound;
pub mod period;
pub mod records;
pub mod redact;
pub mod sets;
pub mod text;
