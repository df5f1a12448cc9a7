//! Conversations and their turns.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use super::{Answered, Failure, listed, page, parts};
use crate::domain::message::Address;
use crate::store::{Page, TurnRecord};
use crate::web::State;
use crate::world::World;

/// Turns shown with a conversation; the rest come by its `turns`.
const TURNS_SHOWN: usize = 20;

pub async fn list(state: web::Data<State>, request: HttpRequest) -> Answered {
    let parts = parts(&state)?;
    let found = parts.store.conversations(&page(&request)?).await?;
    let world = parts.world.load();
    Ok(listed(found, |row| {
        json!({
            "id": row.id,
            "person": person(row.person.as_deref(), row.reply_to.as_ref(), &world),
            "reply_to": row.reply_to,
            "opted_out": row.opted_out,
            "last_inbound_at": row.last_inbound_at,
            "last_turn_at": row.last_turn_at,
            "turns": row.turns,
        })
    }))
}

pub async fn one(state: web::Data<State>, id: web::Path<String>) -> Answered {
    let parts = parts(&state)?;
    let store = &parts.store;
    let found = store
        .conversation(&id)
        .await?
        .ok_or(Failure::NotFound("conversation"))?;
    let turns = store.turns(&id, &Page::first(TURNS_SHOWN)).await?;
    let rows: Vec<Value> = turns.rows.iter().map(turn).collect();
    Ok(HttpResponse::Ok().json(json!({
        "id": found.id,
        "person": person(found.person.as_deref(), found.reply_to.as_ref(), &parts.world.load()),
        "reply_to": found.reply_to,
        "our_number": found.our_number,
        "opted_out": found.opted_out,
        "last_inbound_at": found.last_inbound_at,
        "last_turn_at": found.last_turn_at,
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

/// Whose conversation it is: the directory decides by phone, else what the address is bound to.
fn person(bound: Option<&str>, reply_to: Option<&Address>, world: &World) -> Option<String> {
    let phone = reply_to.and_then(Address::phone);
    let known = phone.and_then(|phone| world.employee_by_phone(phone));
    known
        .map(|employee| employee.id.to_string())
        .or(bound.map(str::to_owned))
}

fn turn(turn: &TurnRecord) -> Value {
    json!(turn)
}
