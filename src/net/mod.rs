//! The way out: one HTTP client, and a circuit breaker for each outside service.
//!
//! A request goes out with a deadline and a limit on the answer's size; what comes back is the
//! answer whole, or an error that says whether the other side can have acted on the request.
//! Redirects are handed to the caller, never followed: following one is a decision about where
//! credentials may go. What is safe to repeat is repeated by a [`Backoff`]; a [`Bulkhead`] keeps one
//! slow service from taking everybody's connections and patience.

mod breaker;
mod bulkhead;
mod http;
mod retry;

pub use breaker::{Breaker, Open, Permit};
pub use bulkhead::{Bulkhead, Full, Place as Seat};
pub use http::{Body, Fault, Http, Method, Place, Request, Response, StartError, install_crypto};
pub use retry::Backoff;
