//! What may pass: one verdict for every guard.
//!
//! A guard looks at facts that are handed to it (text, scores, counts) and says one of three
//! things. It never runs anything and never asks anybody; a guard that cannot decide refuses.

pub mod grounding;
pub mod limits;
pub mod sanitize;
pub mod scope;
pub mod write;

/// What a guard says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Allow,
    /// Not sure enough: ask the person which of a few things is meant.
    Ask,
    /// No, for this reason.
    Refuse(Reason),
}

/// Why something may not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is no talk of the trade, or nothing that can be placed.
    OutOfScope,
    /// Too many calls in one step.
    CallsPerStep,
    /// Too many calls in one turn.
    CallsPerTurn,
    /// The call did not answer within its time.
    CallLate,
}

impl Reason {
    /// The catalogue word, which is also the key of its phrase.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OutOfScope => "out_of_scope",
            Self::CallsPerStep => "calls_per_step",
            Self::CallsPerTurn => "calls_per_turn",
            Self::CallLate => "call_late",
        }
    }
}
