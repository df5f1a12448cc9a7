//! Twilio: signed webhooks in, REST calls out.
//!
//! `signature` proves that a request is Twilio's and hands on a `Verified<Form>`; `inbound` turns
//! that into an `Inbound` message or a delivery `StatusUpdate`. What is not provably Twilio's, or
//! lacks what every message has, is refused with a typed reason.

pub mod form;
pub mod inbound;
pub mod public_url;
pub mod signature;
#[cfg(test)]
mod vectors;
