//! `POST` and `GET /webhooks/twilio` and its receipts: verify, parse, make durable, answer.
//!
//! Nothing slow happens before the answer. A 2xx is only ever given for a message that is on
//! disk; what cannot be stored gets 503, which Twilio repeats when the URL says `rp=all`, and
//! the poller finds it otherwise. A forged or broken request gets a 4xx with a word on why.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::StreamExt;
use jiff::Timestamp;
use tokio::time::timeout;

use super::{Parts, State};
use crate::twilio::form::Form;
use crate::twilio::inbound;
use crate::twilio::signature::Verified;

/// The empty TwiML document: nothing is said here, the reply goes by REST.
const EMPTY_TWIML: &str = r#"<?xml version="1.0" encoding="UTF-8"?><Response/>"#;
/// Seconds after which a refused request may come again.
const RETRY_AFTER_SECS: &str = "2";

/// The webhook's two routes.
pub fn routes(cfg: &mut web::ServiceConfig) {
    let form = || web::route().guard(actix_web::guard::Any(actix_web::guard::Post()).or(actix_web::guard::Get()));
    cfg.service(web::resource("/webhooks/twilio").route(form().to(message)));
    cfg.service(web::resource("/webhooks/twilio/status").route(form().to(receipt)));
}

/// Why a request was not taken; the label of the counter and the status it gets.
struct Refused {
    label: &'static str,
    status: StatusCode,
    why: String,
}

fn refused(label: &'static str, status: StatusCode, why: impl Into<String>) -> Refused {
    Refused {
        label,
        status,
        why: why.into(),
    }
}

async fn message(state: web::Data<State>, request: HttpRequest, body: web::Payload) -> HttpResponse {
    let started = Instant::now();
    let outcome = async {
        let (parts, verified) = verified(&state, &request, body).await?;
        let inbound = inbound::parse(&verified, Timestamp::now())
            .map_err(|e| refused("malformed", StatusCode::BAD_REQUEST, e.to_string()))?;
        // Its own task: a client that hangs up drops this handler's future, never the write.
        let ingest = Arc::clone(&parts.ingest);
        let stored = state.spawn(async move { ingest.accept(inbound).await }).await;
        match stored {
            Ok(Ok(ingested)) => Ok(ingested.label()),
            Ok(Err(e)) => Err(refused("not_stored", StatusCode::SERVICE_UNAVAILABLE, e.to_string())),
            Err(_) => Err(refused("not_stored", StatusCode::SERVICE_UNAVAILABLE, "stopping")),
        }
    };
    answer(&state, started, outcome.await, || {
        HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, "text/xml; charset=utf-8"))
            .body(EMPTY_TWIML)
    })
}

async fn receipt(state: web::Data<State>, request: HttpRequest, body: web::Payload) -> HttpResponse {
    let started = Instant::now();
    let outcome = async {
        let (parts, verified) = verified(&state, &request, body).await?;
        let receipt =
            inbound::receipt(&verified).map_err(|e| refused("malformed", StatusCode::BAD_REQUEST, e.to_string()))?;
        let outbox = Arc::clone(&parts.outbox);
        let stored = state.spawn(async move { outbox.receipt(receipt).await }).await;
        match stored {
            Ok(Ok(_)) => Ok("receipt"),
            Ok(Err(e)) => Err(refused("not_stored", StatusCode::SERVICE_UNAVAILABLE, e.to_string())),
            Err(_) => Err(refused("not_stored", StatusCode::SERVICE_UNAVAILABLE, "stopping")),
        }
    };
    answer(&state, started, outcome.await, || HttpResponse::NoContent().finish())
}

/// The steps both routes share: a place among those in flight, the store open, the body within
/// its limit and of the right type, the signature.
async fn verified<'s>(
    state: &'s State,
    request: &HttpRequest,
    body: web::Payload,
) -> Result<(&'s Parts, Verified<Form>), Refused> {
    let busy = |why| refused("busy", StatusCode::SERVICE_UNAVAILABLE, why);
    let place = state.in_flight.enter().await;
    let mut place = place.ok_or_else(|| busy("too many requests in flight"))?;
    let parts = state.parts().ok_or_else(|| busy("starting"))?;
    let post = request.method() == actix_web::http::Method::POST;
    if post && !is_form(request) {
        let why = "send application/x-www-form-urlencoded";
        return Err(refused("content_type", StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    }
    let server = &state.config.server;
    let slow = || refused("slow_body", StatusCode::REQUEST_TIMEOUT, "the body took too long");
    let body = timeout(
        Duration::from_secs(server.body_secs),
        read(request, body, server.body_bytes_max),
    );
    let body = place.receive(body).await.map_err(|_| slow())?.map_err(|_| slow())??;
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
    // As bytes: one that is no text still counts as a repetition.
    let headers: Vec<(&str, &[u8])> = request
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();
    let verified = parts
        .validator
        .verify(request.method().as_str(), target, &headers, &body)
        .map_err(|rejection| {
            let status = StatusCode::from_u16(rejection.status()).unwrap_or(StatusCode::FORBIDDEN);
            refused(rejection.label(), status, rejection.to_string())
        })?;
    Ok((parts, verified))
}

/// `application/x-www-form-urlencoded`, any case, any parameters, exactly once.
fn is_form(request: &HttpRequest) -> bool {
    let mut types = request.headers().get_all(CONTENT_TYPE);
    let (Some(first), None) = (types.next(), types.next()) else {
        return false;
    };
    let essence = first.to_str().ok().and_then(|t| t.split(';').next()).map(str::trim);
    essence.is_some_and(|e| e.eq_ignore_ascii_case("application/x-www-form-urlencoded"))
}

async fn read(request: &HttpRequest, mut body: web::Payload, limit: usize) -> Result<Vec<u8>, Refused> {
    let too_large = || {
        refused(
            "too_large",
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("at most {limit} bytes"),
        )
    };
    let declared = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|l| l.to_str().ok())
        .and_then(|l| l.parse::<usize>().ok());
    if declared.is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(declared.unwrap_or(1024).min(limit));
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|_| refused("broken_body", StatusCode::BAD_REQUEST, "the body broke off"))?;
        if bytes.len() + chunk.len() > limit {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn answer(
    state: &State,
    started: Instant,
    outcome: Result<&'static str, Refused>,
    accepted: impl Fn() -> HttpResponse,
) -> HttpResponse {
    state.metrics.webhook_seconds(started.elapsed());
    match outcome {
        Ok(label) => {
            state.metrics.webhook(label);
            accepted()
        }
        Err(Refused { label, status, why }) => {
            state.metrics.webhook(label);
            if let Some(unsaid) = state.refusals.line(Instant::now()) {
                let status = status.as_u16();
                tracing::warn!(reason = label, status, unsaid, "webhook refused: {why}");
            }
            let mut response = HttpResponse::build(status);
            if status == StatusCode::SERVICE_UNAVAILABLE {
                response.insert_header((RETRY_AFTER, RETRY_AFTER_SECS));
            }
            response.content_type("text/plain; charset=utf-8").body(why)
        }
    }
}
