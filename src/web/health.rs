//! Alive, ready, and the metrics.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use super::{State, guard};
use crate::domain::sets::System;
use crate::telemetry::Depths;

/// What Prometheus calls the text format.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
/// The writer keeps up while less than this share of its queue is taken.
const QUEUE_PERCENT_MAX: usize = 90;

/// The three routes.
pub fn routes(cfg: &mut web::ServiceConfig) {
    // Balancers ask with HEAD as often as with GET.
    cfg.route("/healthz", web::get().to(alive));
    cfg.route("/healthz", web::head().to(alive));
    cfg.route("/readyz", web::get().to(ready));
    cfg.route("/readyz", web::head().to(ready));
    cfg.route("/metrics", web::get().to(metrics));
}

/// The process answers; nothing more is asked, so that a slow disk does not get it restarted.
async fn alive() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "ok", "service": "relevo", "version": env!("CARGO_PKG_VERSION") }))
}

async fn ready(state: web::Data<State>) -> HttpResponse {
    let (ready, report) = readiness(&state);
    let mut answer = match ready {
        true => HttpResponse::Ok(),
        false => HttpResponse::ServiceUnavailable(),
    };
    answer.json(report)
}

/// Whether messages can be taken, and what is missing when not.
pub(super) fn readiness(state: &State) -> (bool, Value) {
    let Some(parts) = state.parts() else {
        return (false, json!({ "ready": false, "store": "opening", "world": "loading" }));
    };
    let writer = parts.store.health();
    let crowded = writer.waiting.saturating_mul(100) >= writer.waiting_max.saturating_mul(QUEUE_PERCENT_MAX);
    let ready = writer.failing.is_none() && !crowded;
    let report = json!({
        "ready": ready,
        "store": match &writer.failing { None => "open", Some(_) => "failing" },
        "writer": { "waiting": writer.waiting, "waiting_max": writer.waiting_max, "keeps_up": !crowded, "failing": writer.failing },
        "world": "loaded",
    });
    (ready, report)
}

async fn metrics(state: web::Data<State>, request: HttpRequest) -> HttpResponse {
    if let Err(denied) = guard::metrics(&state, &request) {
        return denied.answer();
    }
    state.metrics.ready(readiness(&state).0);
    if let Some(parts) = state.parts() {
        let depths = parts.store.depths();
        state.metrics.depths(Depths {
            inbox: depths.inbox,
            leased: depths.leased,
            outbox: depths.outbox,
            dead: depths.dead,
        });
        let (world, now) = (parts.world.load(), state.config.clock.now());
        for system in System::ALL {
            let age = now.duration_since(world.as_of(*system)).unsigned_abs();
            state.metrics.system_age(system.as_str(), age);
        }
    }
    HttpResponse::Ok()
        .content_type(METRICS_TYPE)
        .insert_header(("Cache-Control", "no-store"))
        .body(state.metrics.render())
}
