//! Logs and metrics: what the ops team sees of the relay.
//!
//! Logs are JSON lines on stderr, one event each; the redactor masks people and secrets in
//! every text that passes, so a careless log line is a blemish and not a leak. Metrics are
//! one registry with fixed families; no label grows without bound.

pub mod logs;
pub mod metrics;
pub mod redactor;
mod sparing;

pub use logs::LogError;
pub use metrics::{Breaker, Depths, Metrics};
pub use redactor::Redactor;
pub use sparing::Sparing;
