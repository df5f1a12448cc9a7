//! Twilio: signed webhooks in, REST calls out.
//!
//! `signature` proves that a request is Twilio's and hands on a `Verified<Form>`; `inbound` turns
//! that into an `Inbound` message or a delivery `StatusUpdate`. What is not provably Twilio's, or
//! lacks what every message has, is refused with a typed reason. `client` sends and lists messages
//! and fetches their media; `codes` says what each of Twilio's errors asks for.

mod client;
pub mod codes;
mod error;
pub mod form;
pub mod inbound;
mod listed;
mod media;
pub mod public_url;
pub mod signature;

pub use client::{Client, Content, Outgoing, Sent};
pub use error::{Outcome, TwilioError};
pub use listed::{Listed, Page};
pub use media::{Download, MediaError};
