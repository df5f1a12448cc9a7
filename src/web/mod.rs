//! The HTTP doors: every route on one page, and what their handlers share.
//!
//! The port opens before the store does, so that a message that comes too early gets 503 and
//! is repeated, never a refused connection or a false 200. Behaviour that an actix default
//! would spoil is set in `server`.

mod admin;
mod guard;
mod health;
pub mod loopback;
mod media;
mod places;
mod simulator;
mod webhook;
mod why;

use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, OnceLock};

use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::{App, HttpServer, web};
use secrecy::SecretString;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::config::{Config, MediaLinks};
use crate::engine::Engine;
use crate::relay::Ingest;
use crate::relay::media::Media;
use crate::relay::outbox::Outbox;
use crate::store::Store;
use crate::telemetry::{Metrics, Sparing};
use crate::twilio::signature::Validator;
use crate::world::WorldHandle;
use loopback::Loopback;
use places::Places;

/// Refused webhooks that are logged in a minute; all are counted.
const REFUSALS_LOGGED_PER_MINUTE: u32 = 30;

/// Every route, on one page.
fn routes(cfg: &mut web::ServiceConfig) {
    webhook::routes(cfg);
    simulator::routes(cfg);
    health::routes(cfg);
    admin::routes(cfg);
    media::routes(cfg);
}

/// What the handlers share.
pub struct State {
    /// The settings.
    pub config: Arc<Config>,
    /// The counters.
    pub metrics: Arc<Metrics>,
    /// Where we listen.
    pub bound: SocketAddr,
    /// The rule of the keyless doors.
    pub loopback: Loopback,
    /// Places for requests before authentication.
    pub in_flight: Places,
    /// How often a refused webhook is worth a line.
    pub refusals: Sparing,
    runtime: Handle,
    parts: OnceLock<Parts>,
}

/// What is there once the store is open and the World loaded.
pub struct Parts {
    /// Durable state.
    pub store: Store,
    /// The operational picture.
    pub world: WorldHandle,
    /// The engine.
    pub engine: Arc<Engine>,
    /// The outbox, for receipts.
    pub outbox: Arc<Outbox>,
    /// The door to the inbox.
    pub ingest: Arc<Ingest>,
    /// Files received.
    pub media: Media,
    /// Links to them.
    pub links: MediaLinks,
    /// The webhooks' signatures.
    pub validator: Validator,
    /// The phone in the browser, where it is on.
    pub simulator: Option<Simulator>,
}

/// The account that the phone in the browser stands for.
#[derive(Debug, Clone)]
pub struct Simulator {
    /// `AC…` of no account at Twilio.
    pub account_sid: String,
    /// Signs its webhooks; derived from the instance's secret.
    pub auth_token: SecretString,
    /// The number it writes to.
    pub sender: String,
}

impl State {
    /// A state whose parts are still to come; `runtime` is where durable work runs.
    pub fn new(config: Arc<Config>, metrics: Arc<Metrics>, bound: SocketAddr, runtime: Handle) -> Self {
        let public_url = Some(config.server.public_url.as_str()).filter(|url| !url.is_empty());
        Self {
            loopback: Loopback::new(bound, public_url),
            in_flight: Places::new(config.server.in_flight_max),
            refusals: Sparing::new(REFUSALS_LOGGED_PER_MINUTE),
            config,
            metrics,
            bound,
            runtime,
            parts: OnceLock::new(),
        }
    }

    /// The parts, once they are there.
    pub fn parts(&self) -> Option<&Parts> {
        self.parts.get()
    }

    /// Opens the doors; the first call counts.
    pub fn open(&self, parts: Parts) {
        let _ = self.parts.set(parts);
    }

    /// Runs durable work outside the handler: an HTTP handler's future is dropped when its
    /// client hangs up, this is not.
    pub fn spawn<F>(&self, work: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.runtime.spawn(work)
    }
}

/// The server on a listener that the caller has bound.
pub fn server(state: Arc<State>, listener: TcpListener) -> io::Result<Server> {
    let drain_secs = state.config.server.drain_secs;
    let shared = web::Data::from(state);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(shared.clone())
            .configure(routes)
            .wrap(from_fn(why::say_why))
    })
    // Two small writes of one answer would otherwise wait for a delayed acknowledgement (44 ms).
    .tcp_nodelay(true)
    // A client that hangs up ends its request, as MCP demands; durable work runs in `State::spawn`.
    .h1_allow_half_closed(false)
    .shutdown_timeout(drain_secs)
    .disable_signals()
    .listen(listener)?
    .run();
    Ok(server)
}
