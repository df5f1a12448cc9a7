//! The way to the operator's systems: what they hold comes in, what a person confirmed goes out.
//!
//! The embedded operator (the demo, or what was imported) is always there and needs no network.
//! Each call to a system outside says on the [`Board`] how it went.

mod board;

pub use board::{Board, Circuit, Probe, Standing};

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
