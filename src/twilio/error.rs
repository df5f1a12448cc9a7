//! What can go wrong with a call, and what may be concluded from it.

use std::time::Duration;

use crate::net::{Fault, Open};
use crate::twilio::codes::{self, Reaction};

/// A call that did not succeed. Twilio's own words are left out: they name people.
#[derive(Debug, thiserror::Error)]
pub enum TwilioError {
    /// Not asked, since it failed too often of late.
    #[error("Twilio was not asked")]
    Open(#[from] Open),
    /// No whole answer.
    #[error("Twilio could not be asked")]
    Fault(#[from] Fault),
    /// It said no.
    #[error("Twilio answered {status}{}", .code.as_deref().map(|c| format!(", code {c}")).unwrap_or_default())]
    Refused {
        /// The HTTP status.
        status: u16,
        /// Twilio's own code.
        code: Option<String>,
        /// When it wishes to be asked again.
        retry_after: Option<Duration>,
    },
    /// It said yes in a form we can't read.
    #[error("Twilio's answer can't be read: {0}")]
    Answer(&'static str),
}

/// What is known of a request's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It had none.
    None,
    /// It may have had its effect.
    Unknown,
}

impl TwilioError {
    /// Can the call have had its effect all the same?
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Open(_) => Outcome::None,
            Self::Fault(fault) if fault.surely_unsent() => Outcome::None,
            // 429 is refused before it is processed; a 4xx is an answer to this very request.
            Self::Refused { status, .. } if *status < 500 && *status != 408 => Outcome::None,
            Self::Fault(_) | Self::Refused { .. } | Self::Answer(_) => Outcome::Unknown,
        }
    }

    /// What to do about it.
    pub fn reaction(&self) -> Reaction {
        match self {
            Self::Open(_) | Self::Fault(_) | Self::Answer(_) => Reaction::Retry,
            Self::Refused { status, code, .. } => codes::reaction(code.as_deref(), Some(*status)),
        }
    }

    /// Twilio's code, else the HTTP status, as text.
    pub fn code(&self) -> Option<String> {
        match self {
            Self::Refused { status, code, .. } => Some(code.clone().unwrap_or_else(|| status.to_string())),
            Self::Open(_) | Self::Fault(_) | Self::Answer(_) => None,
        }
    }

    /// The HTTP status, where there was an answer.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Open(_) | Self::Fault(_) | Self::Answer(_) => None,
        }
    }

    /// When to ask again, where something says so.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Open(open) => Some(open.retry_in),
            Self::Refused { retry_after, .. } => *retry_after,
            Self::Fault(_) | Self::Answer(_) => None,
        }
    }

    /// The reason in words, for the ops team.
    pub fn in_words(&self) -> String {
        match self {
            Self::Refused { code: Some(code), .. } => codes::in_words(code),
            Self::Fault(fault) => format!("Twilio could not be asked: {fault}"),
            other => other.to_string(),
        }
    }
}
