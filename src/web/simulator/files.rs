//! Files attached on the phone: kept for a while, served under a media URL as Twilio's are.

use std::io;
use std::path::{Path, PathBuf};

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::StreamExt;
use uuid::Uuid;

use super::{Door, Refusal, Served, State, door, refused};
use crate::format::phrases;

/// Files kept; the oldest go first.
const FILES_MAX: usize = 64;
/// What a file is called by a browser that does not know.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// `POST /simulator/files`: the body is the file.
pub async fn store(state: web::Data<State>, request: HttpRequest, mut body: web::Payload) -> Served {
    let door = door(&state, &request)?;
    let max = usize::try_from(door.state.config.media.bytes_max).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        let Ok(chunk) = chunk else {
            return Err(refused(StatusCode::BAD_REQUEST, "format.simulator.broken"));
        };
        if bytes.len().saturating_add(chunk.len()) > max {
            return Err(Refusal {
                status: StatusCode::PAYLOAD_TOO_LARGE,
                text: phrases().say("format.simulator.large_file", &[("mb", &(max >> 20))]),
            });
        }
        bytes.extend_from_slice(&chunk);
    }
    if bytes.is_empty() {
        return Err(refused(StatusCode::BAD_REQUEST, "format.simulator.empty_file"));
    }
    let given = request
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let content_type = given
        .filter(|given| given.contains('/'))
        .unwrap_or(UNKNOWN_TYPE)
        .to_owned();
    let id = format!("ME{}", Uuid::new_v4().simple());
    keep(&folder(&door), &id, &content_type, bytes).await.map_err(|error| {
        tracing::warn!("the simulator could not keep a file: {error}");
        refused(StatusCode::INTERNAL_SERVER_ERROR, "format.simulator.broken")
    })?;
    Ok(HttpResponse::Ok().json(serde_json::json!({
        "id": id,
        "type": content_type,
        "url": format!("/simulator/files/{id}"),
    })))
}

/// The file, for the page and for the relay's media fetcher.
pub async fn serve(state: web::Data<State>, request: HttpRequest) -> Served {
    let door = door(&state, &request)?;
    let id = request.match_info().query("id");
    let absent = || refused(StatusCode::NOT_FOUND, "format.simulator.no_file");
    let content_type = content_type(&door, id).await.ok_or_else(absent)?;
    let bytes = tokio::fs::read(folder(&door).join(id)).await.map_err(|_| absent())?;
    Ok(HttpResponse::Ok()
        .content_type(content_type)
        // An attached page or drawing is data, not a part of this site.
        .insert_header((CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CACHE_CONTROL, "private, max-age=86400"))
        .body(bytes))
}

/// The types of the files with these ids; None when one is not there.
pub async fn types(door: &Door<'_>, ids: &[String]) -> Option<Vec<String>> {
    let mut types = Vec::with_capacity(ids.len());
    for id in ids {
        types.push(content_type(door, id).await?);
    }
    Some(types)
}

async fn content_type(door: &Door<'_>, id: &str) -> Option<String> {
    // The id becomes a file name: nothing but what `store` makes passes.
    let sound = id
        .strip_prefix("ME")
        .is_some_and(|hex| hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_hexdigit()));
    if !sound {
        return None;
    }
    tokio::fs::read_to_string(type_of(&folder(door), id)).await.ok()
}

fn folder(door: &Door<'_>) -> PathBuf {
    door.state.config.server.data_dir.join("simulator")
}

fn type_of(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.type"))
}

async fn keep(folder: &Path, id: &str, content_type: &str, bytes: Vec<u8>) -> io::Result<()> {
    tokio::fs::create_dir_all(folder).await?;
    tokio::fs::write(folder.join(id), bytes).await?;
    tokio::fs::write(type_of(folder, id), content_type).await?;
    tidy(folder).await
}

async fn tidy(folder: &Path) -> io::Result<()> {
    let mut kept = Vec::new();
    let mut entries = tokio::fs::read_dir(folder).await?;
    while let Some(entry) = entries.next_entry().await? {
        if entry.path().extension().is_none() {
            kept.push((entry.metadata().await?.modified()?, entry.path()));
        }
    }
    kept.sort();
    for (_, path) in kept.iter().rev().skip(FILES_MAX) {
        tokio::fs::remove_file(path).await?;
        tokio::fs::remove_file(path.with_extension("type")).await?;
    }
    Ok(())
}
