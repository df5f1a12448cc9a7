//! Inbox, outbox, what was sent, and dead letters.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use super::{Answered, listed, page, parts, view};
use crate::store::{Dead, DeadLetter};
use crate::web::State;

pub async fn inbox(state: web::Data<State>, request: HttpRequest) -> Answered {
    let found = parts(&state)?.store.inbox(&page(&request)?).await?;
    Ok(listed(found, |entry| {
        json!({
            "seq": entry.seq,
            "conversation": entry.conversation,
            "message": view::inbound(&entry.message),
            "attempt": entry.attempt,
            "reason": entry.reason,
        })
    }))
}

pub async fn outbox(state: web::Data<State>, request: HttpRequest) -> Answered {
    let found = parts(&state)?.store.outbox(&page(&request)?).await?;
    Ok(listed(found, view::outbound))
}

pub async fn sent(state: web::Data<State>, request: HttpRequest) -> Answered {
    let found = parts(&state)?.store.sent(&page(&request)?).await?;
    Ok(listed(found, view::outbound))
}

pub async fn dead(state: web::Data<State>, request: HttpRequest) -> Answered {
    let found = parts(&state)?.store.dead(&page(&request)?).await?;
    Ok(listed(found, letter))
}

fn letter(dead: &DeadLetter) -> Value {
    let (queue, what) = match &dead.letter {
        Dead::Inbound {
            conversation,
            messages,
            attempts,
        } => {
            let messages: Vec<Value> = messages.iter().map(view::inbound).collect();
            (
                "inbox",
                json!({ "conversation": conversation, "messages": messages, "attempts": attempts }),
            )
        }
        Dead::Outbound { outbound } => ("outbox", view::outbound(outbound)),
    };
    json!({ "id": dead.id, "at": dead.at, "queue": queue, "code": dead.code, "reason": dead.reason, "letter": what })
}

/// Back into its queue, as new.
pub async fn retry_dead(state: web::Data<State>, id: web::Path<u64>) -> Answered {
    let (store, id) = (parts(&state)?.store.clone(), id.into_inner());
    store.dead_retry(id).await?;
    tracing::info!(dead_letter = id, "a dead letter is tried again, as the ops team wishes");
    Ok(HttpResponse::Ok().json(json!({ "id": id, "done": "retried" })))
}

/// Gone for good.
pub async fn drop_dead(state: web::Data<State>, id: web::Path<u64>) -> Answered {
    let (store, id) = (parts(&state)?.store.clone(), id.into_inner());
    store.dead_drop(id).await?;
    tracing::info!(dead_letter = id, "a dead letter is dropped, as the ops team wishes");
    Ok(HttpResponse::Ok().json(json!({ "id": id, "done": "dropped" })))
}
