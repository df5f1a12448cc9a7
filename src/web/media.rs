//! `GET` and `HEAD /media/{id}`: a stored file, for whoever holds a link of ours that has not expired.
//!
//! Twilio asks with HEAD first and believes the content type. The id is looked up, never made a
//! path; what a link does not open is not told apart from what is not there.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse, web};
use jiff::Timestamp;
use serde::Deserialize;
use uuid::Uuid;

use super::State;
use crate::config::MEDIA_PATH;
use crate::store::MediaRecord;

/// The longest name of a file that WhatsApp shows, characters.
const NAME_CHARS_MAX: usize = 20;

pub fn routes(cfg: &mut web::ServiceConfig) {
    let resource = web::resource(format!("{MEDIA_PATH}/{{id}}"))
        .route(web::get().to(serve))
        .route(web::head().to(serve));
    cfg.service(resource);
}

/// What a link says of itself.
#[derive(Debug, Deserialize)]
struct Signed {
    exp: i64,
    sig: String,
}

async fn serve(state: web::Data<State>, request: HttpRequest) -> HttpResponse {
    match found(&state, &request).await {
        Some((record, bytes)) => HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, record.content_type.as_str()))
            .insert_header((CONTENT_DISPOSITION, format!("inline; filename=\"{}\"", name(&record))))
            // A page or a drawing that somebody sent is data, not a part of this site.
            .insert_header((CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"))
            .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .insert_header((CACHE_CONTROL, "private, no-store"))
            .body(bytes),
        None => HttpResponse::NotFound()
            .insert_header((CACHE_CONTROL, "no-store"))
            .finish(),
    }
}

async fn found(state: &State, request: &HttpRequest) -> Option<(MediaRecord, Vec<u8>)> {
    let parts = state.parts()?;
    let id = Uuid::parse_str(request.match_info().query("id")).ok()?;
    let signed = web::Query::<Signed>::from_query(request.query_string()).ok()?;
    if !parts.links.opens(id, signed.exp, &signed.sig, Timestamp::now()) {
        return None;
    }
    let record = parts.store.media(id).await.ok()??;
    // The record's own place in the folder: hash and ending, as they were stored.
    let path = parts.media.path(&record);
    let bytes = tokio::fs::read(path).await.ok()?;
    Some((record, bytes))
}

/// A short name with the ending that the content has.
fn name(record: &MediaRecord) -> String {
    let ending = record.file.rsplit_once('.').map_or("bin", |(_, ending)| ending);
    let short: String = record.hash.chars().take(8).collect();
    format!("{short}.{ending}").chars().take(NAME_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_content() {
        let record = MediaRecord {
            id: Uuid::nil(),
            hash: "0123456789abcdef".to_owned(),
            content_type: "image/jpeg".to_owned(),
            bytes: 1,
            file: "01/0123456789abcdef.jpg".to_owned(),
            message: None,
            conversation: None,
            task_id: None,
            site_id: None,
            caption: None,
            stored_at: Timestamp::UNIX_EPOCH,
            found: serde_json::Value::Null,
        };
        assert_eq!(name(&record), "01234567.jpg");
    }
}
