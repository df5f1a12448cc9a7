//! What was kept for a person to look at: the audit of changes, and mails that wait to be sent by hand.

use actix_web::{HttpRequest, web};
use serde_json::json;

use super::{Answered, listed, page, parts};
use crate::web::State;

/// Who changed what, or tried to, newest first.
pub async fn audit(state: web::Data<State>, request: HttpRequest) -> Answered {
    let found = parts(&state)?.store.audit_list(&page(&request)?).await?;
    Ok(listed(found, |row| json!(row)))
}

/// Mails that somebody drafted, newest first.
pub async fn drafts(state: web::Data<State>, request: HttpRequest) -> Answered {
    let found = parts(&state)?.store.drafts(&page(&request)?).await?;
    Ok(listed(found, |draft| json!(draft)))
}
