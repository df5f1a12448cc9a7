//! Conversations and their turns.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use super::{Answered, Failure, listed, page, parts};
use crate::store::{Page, TurnRecord};
use crate::web::State;

/// Turns shown with a conversation; the rest come by its `turns`.
const TURNS_SHOWN: usize = 20;

pub async fn list(state: web::Data<State>, request: HttpRequest) -> Answered {
    let found = parts(&state)?.store.conversations(&page(&request)?).await?;
    Ok(listed(found, |row| json!(row)))
}

pub async fn one(state: web::Data<State>, id: web::Path<String>) -> Answered {
    let store = &parts(&state)?.store;
    let found = store
        .conversation(&id)
        .await?
        .ok_or(Failure::NotFound("conversation"))?;
    let turns = store.turns(&id, &Page::first(TURNS_SHOWN)).await?;
    let rows: Vec<Value> = turns.rows.iter().map(turn).collect();
    Ok(HttpResponse::Ok().json(json!({
        "id": found.id,
        "person": found.person,
        "reply_to": found.reply_to,
        "our_number": found.our_number,
        "opted_out": found.opted_out,
        "last_inbound_at": found.last_inbound_at,
        "last_turn_at": found.last_turn_at,
        "told_limit_at": found.told_limit_at,
        "created_at": found.created_at,
        "turns_total": found.turns,
        "turns": rows,
        "next": turns.next,
    })))
}

pub async fn turns(state: web::Data<State>, id: web::Path<String>, request: HttpRequest) -> Answered {
    let store = &parts(&state)?.store;
    let page = page(&request)?;
    if store.conversation(&id).await?.is_none() {
        return Err(Failure::NotFound("conversation"));
    }
    Ok(listed(store.turns(&id, &page).await?, turn))
}

fn turn(turn: &TurnRecord) -> Value {
    json!(turn)
}
