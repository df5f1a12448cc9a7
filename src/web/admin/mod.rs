//! `/api/admin`: what the ops team asks, as JSON.
//!
//! Every list comes in pages (`limit`, `after`; `next` in the answer), every error as
//! `{"error": {"code", "message"}}`, nothing is cached, and no secret is ever part of an answer.
//! An unknown parameter is refused: a filter that is silently dropped would answer something else.

mod conversations;
mod kept;
mod overview;
mod queues;
mod technicians;
mod view;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::{DefaultHeaders, Next, from_fn};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::json;

use super::{Parts, State, guard};
use crate::store::{Listed, Page, StoreError};

/// Rows of a page when nothing is said.
const ROWS_DEFAULT: usize = 50;
/// Rows of a page at most.
const ROWS_MAX: usize = 200;

/// Every admin route, on one page.
pub fn routes(cfg: &mut web::ServiceConfig) {
    let admin = web::scope("/api/admin")
        .wrap(from_fn(guarded))
        .wrap(DefaultHeaders::new().add(("Cache-Control", "no-store")))
        .service(web::resource("").get(overview::overview))
        .service(web::resource("/systems").get(overview::systems))
        .service(web::resource("/queues").get(overview::queues))
        .service(web::resource("/conversations").get(conversations::list))
        .service(web::resource("/conversations/{id}").get(conversations::one))
        .service(web::resource("/conversations/{id}/turns").get(conversations::turns))
        .service(web::resource("/inbox").get(queues::inbox))
        .service(web::resource("/outbox").get(queues::outbox))
        .service(web::resource("/sent").get(queues::sent))
        .service(web::resource("/dead").get(queues::dead))
        .service(web::resource("/dead/{id}").delete(queues::drop_dead))
        .service(web::resource("/dead/{id}/retry").post(queues::retry_dead))
        .service(web::resource("/audit").get(kept::audit))
        .service(web::resource("/drafts").get(kept::drafts))
        .service(web::resource("/technicians").get(technicians::list))
        .app_data(web::PathConfig::default().error_handler(|_, _| Failure::NotFound("dead letter").into()))
        .default_service(web::to(nowhere));
    cfg.service(admin);
}

async fn guarded(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let admitted = match request.app_data::<web::Data<State>>() {
        Some(state) => guard::admin(state, request.request()),
        None => Err(guard::Denied::Outside),
    };
    match admitted {
        Ok(()) => next.call(request).await.map(ServiceResponse::map_into_left_body),
        Err(denied) => Ok(request.into_response(denied.answer()).map_into_right_body()),
    }
}

async fn nowhere() -> Failure {
    Failure::NotFound("route")
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{0}")]
    BadQuery(String),
    #[error("there is no such {0}")]
    NotFound(&'static str),
    #[error("the store is not open yet; ask again in a moment")]
    Starting,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Failure {
    fn code(&self) -> &'static str {
        match self {
            Self::BadQuery(_) => "bad_query",
            Self::NotFound(_) => "not_found",
            Self::Starting => "starting",
            Self::Store(error) => error.code(),
        }
    }
}

impl actix_web::ResponseError for Failure {
    fn status_code(&self) -> actix_web::http::StatusCode {
        use actix_web::http::StatusCode;
        match self {
            Self::BadQuery(_) | Self::Store(StoreError::Cursor) => StatusCode::BAD_REQUEST,
            Self::NotFound(_) | Self::Store(StoreError::NotFound(_)) => StatusCode::NOT_FOUND,
            Self::Store(StoreError::Conflict { .. }) => StatusCode::CONFLICT,
            Self::Starting => StatusCode::SERVICE_UNAVAILABLE,
            Self::Store(error) if error.may_retry() => StatusCode::SERVICE_UNAVAILABLE,
            Self::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let status = self.status_code();
        if status.is_server_error() {
            tracing::warn!(code = self.code(), "an admin question was not answered: {self}");
        }
        HttpResponse::build(status).json(json!({ "error": { "code": self.code(), "message": self.to_string() } }))
    }
}

impl actix_web::Responder for Failure {
    type Body = actix_web::body::BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        actix_web::ResponseError::error_response(&self)
    }
}

/// What every handler returns.
type Answered = Result<HttpResponse, Failure>;

/// The parts, once the store is open.
fn parts(state: &State) -> Result<&Parts, Failure> {
    state.parts().ok_or(Failure::Starting)
}

/// `?limit=50&after=…`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Paging {
    limit: Option<usize>,
    after: Option<String>,
}

/// Which page a request asks for.
fn page(request: &HttpRequest) -> Result<Page, Failure> {
    let paging = web::Query::<Paging>::from_query(request.query_string())
        .map_err(|error| Failure::BadQuery(format!("{error}; only `limit` and `after` are known")))?;
    let limit = paging.limit.unwrap_or(ROWS_DEFAULT);
    if limit == 0 || limit > ROWS_MAX {
        return Err(Failure::BadQuery(format!("`limit` is 1 to {ROWS_MAX}")));
    }
    Ok(Page {
        after: paging.into_inner().after.filter(|after| !after.is_empty()),
        limit,
    })
}

/// A page as JSON, each row by its view.
fn listed<T>(page: Listed<T>, view: impl Fn(&T) -> serde_json::Value) -> HttpResponse {
    let rows: Vec<_> = page.rows.iter().map(view).collect();
    HttpResponse::Ok().json(json!({ "rows": rows, "next": page.next }))
}
