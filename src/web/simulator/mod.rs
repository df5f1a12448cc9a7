//! `/simulator`: a phone in the browser, at the other end of the real routes.
//!
//! What is typed there becomes a form as Twilio would post it, signed with the instance's own
//! token, and goes over loopback HTTP to `/webhooks/twilio`; what the outbox has sent to that
//! phone is shown, and its receipts are posted back the same way. Nothing here reaches into the
//! relay. Open only where the simulator is on and the loopback rule holds.

mod cast;
mod files;
mod form;
mod messages;
mod wire;

use std::sync::OnceLock;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, X_CONTENT_TYPE_OPTIONS};
use actix_web::{HttpRequest, HttpResponse, ResponseError, web};

use super::{Parts, Simulator, State};
use crate::format::phrases;
use crate::net::Http;

const PAGE: &str = include_str!("../../../templates/simulator/page.html");
const STYLE: &str = include_str!("../../../templates/simulator/style.css");
const MARKUP: &str = include_str!("../../../templates/simulator/markup.js");
const APP: &str = include_str!("../../../templates/simulator/app.js");

/// Nothing from outside, nothing inline: data shown by the page can't become code.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' blob: data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The routes of the page and of what it asks for.
pub fn routes(cfg: &mut web::ServiceConfig) {
    cfg.route("/", web::get().to(front));
    cfg.service(
        web::scope("/simulator")
            // The HTTP client, made when the phone is first used.
            .app_data(web::Data::new(OnceLock::<Http>::new()))
            .route("", web::get().to(page))
            .route("/style.css", web::get().to(style))
            .route("/markup.js", web::get().to(markup))
            .route("/app.js", web::get().to(app))
            .route("/cast", web::get().to(cast::cast))
            .route("/send", web::post().to(form::send))
            .route("/messages", web::get().to(messages::messages))
            .route("/files", web::post().to(files::store))
            .route("/files/{id}", web::get().to(files::serve))
            // The shape of Twilio's own media URLs, under this base.
            .route(
                "/2010-04-01/Accounts/{account}/Messages/{message}/Media/{id}",
                web::get().to(files::serve),
            ),
    );
}

/// What the handlers need, where the phone is allowed.
struct Door<'s> {
    state: &'s State,
    parts: &'s Parts,
    simulator: &'s Simulator,
    http: web::Data<OnceLock<Http>>,
}

/// Why a request is not served, in words for the person at the page.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Refusal {
    status: StatusCode,
    text: String,
}

impl ResponseError for Refusal {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        response
            .content_type("text/plain; charset=utf-8")
            .body(self.text.clone())
    }
}

fn refused(status: StatusCode, phrase: &str) -> Refusal {
    Refusal {
        status,
        text: phrases().say(phrase, &[]),
    }
}

/// The door of this request, where it is open.
fn door<'s>(state: &'s State, request: &HttpRequest) -> Result<Door<'s>, Refusal> {
    allowed(state, request)?;
    let starting = || refused(StatusCode::SERVICE_UNAVAILABLE, "format.simulator.starting");
    let off = || refused(StatusCode::NOT_FOUND, "format.simulator.off");
    let parts = state.parts().ok_or_else(starting)?;
    Ok(Door {
        state,
        parts,
        simulator: parts.simulator.as_ref().ok_or_else(off)?,
        http: request
            .app_data()
            .cloned()
            .unwrap_or_else(|| web::Data::new(OnceLock::new())),
    })
}

fn allowed(state: &State, request: &HttpRequest) -> Result<(), Refusal> {
    if !state.config.simulator_on() {
        return Err(refused(StatusCode::NOT_FOUND, "format.simulator.off"));
    }
    if !state.loopback.admits(request) {
        return Err(refused(StatusCode::FORBIDDEN, "format.simulator.closed"));
    }
    Ok(())
}

/// What a handler answers.
type Served = Result<HttpResponse, Refusal>;

/// Who opens the bare address in a browser is shown to the phone.
async fn front(state: web::Data<State>, request: HttpRequest) -> Served {
    allowed(&state, &request)?;
    Ok(HttpResponse::Found().insert_header((LOCATION, "/simulator")).finish())
}

async fn page(state: web::Data<State>, request: HttpRequest) -> Served {
    asset(&state, &request, "text/html; charset=utf-8", PAGE)
}

async fn style(state: web::Data<State>, request: HttpRequest) -> Served {
    asset(&state, &request, "text/css; charset=utf-8", STYLE)
}

async fn markup(state: web::Data<State>, request: HttpRequest) -> Served {
    asset(&state, &request, "text/javascript; charset=utf-8", MARKUP)
}

async fn app(state: web::Data<State>, request: HttpRequest) -> Served {
    asset(&state, &request, "text/javascript; charset=utf-8", APP)
}

fn asset(state: &State, request: &HttpRequest, content_type: &str, content: &'static str) -> Served {
    allowed(state, request)?;
    Ok(HttpResponse::Ok()
        .content_type(content_type)
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(content))
}
