//! Who may see the inside: a key where one is set, else a person at this machine.

use actix_web::http::header::AUTHORIZATION;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use super::State;
use crate::auth::{self, AdminKey};

/// Why a request may not see the inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// A key is set, and this request does not present it.
    Key,
    /// No key is set, and this request does not come from a person at this machine.
    Outside,
}

/// The admin's rule: with a key set only the key counts, from wherever; without one the loopback rule.
pub fn admin(state: &State, request: &HttpRequest) -> Result<(), Denied> {
    match AdminKey::set(&state.config.server.admin_key) {
        Some(key) if presents(&key, request) => Ok(()),
        Some(_) => Err(Denied::Key),
        None if state.loopback.admits(request) => Ok(()),
        None => Err(Denied::Outside),
    }
}

/// The metrics' rule: loopback or the key. They name nobody, and a scraper beside us needs no key.
pub fn metrics(state: &State, request: &HttpRequest) -> Result<(), Denied> {
    match state.loopback.admits(request) {
        true => Ok(()),
        false => admin(state, request),
    }
}

fn presents(key: &AdminKey, request: &HttpRequest) -> bool {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let presented = auth::presented(header(AUTHORIZATION.as_str()), header("X-API-Key"));
    presented.is_some_and(|presented| key.accepts(presented))
}

impl Denied {
    /// What the client gets.
    pub fn answer(self) -> HttpResponse {
        match self {
            Self::Key => HttpResponse::Unauthorized()
                .insert_header(("WWW-Authenticate", "Bearer realm=\"relevo\""))
                .json(json!({ "error": {
                    "code": "unauthorized",
                    "message": "the admin key is needed, as `Authorization: Bearer KEY` or `X-API-Key: KEY`",
                }})),
            Self::Outside => HttpResponse::Forbidden().json(json!({ "error": {
                "code": "forbidden",
                "message": "without RELEVO_ADMIN_KEY only a person at this machine may ask: \
                    loopback address and Host, no proxy in between, no PUBLIC_URL",
            }})),
        }
    }
}
