//! No refusal without its reason: what the framework answers with a bare status gets one line.

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use serde_json::json;

/// Fills an error's empty body, as JSON under `/api/`, else as text.
pub async fn say_why(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let head = request.method() == Method::HEAD;
    let json = request.path().starts_with("/api/");
    let response = next.call(request).await?;
    let status = response.status();
    let bare = matches!(response.response().body().size(), BodySize::None | BodySize::Sized(0));
    if head || !bare || !(status.is_client_error() || status.is_server_error()) {
        return Ok(response.map_into_boxed_body());
    }
    let (code, why) = match status {
        StatusCode::NOT_FOUND => ("not_found", "there is no such page"),
        StatusCode::METHOD_NOT_ALLOWED => ("method", "this page does not take that method"),
        _ => ("refused", status.canonical_reason().unwrap_or("refused")),
    };
    let (body, content_type) = match json {
        true => (
            json!({ "error": { "code": code, "message": why } }).to_string(),
            "application/json",
        ),
        false => (why.to_owned(), "text/plain; charset=utf-8"),
    };
    let mut response = response.map_body(|_, _| BoxBody::new(body));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    Ok(response)
}
