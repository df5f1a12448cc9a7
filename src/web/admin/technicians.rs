//! The directory: who can be reached, by which addresses, and until when freely.
//!
//! WhatsApp takes free text for 24 hours from a person's last message; a row says whether that
//! window is open and when it closes. National ids and mail addresses are nobody's business here.

use std::collections::HashMap;

use actix_web::{HttpRequest, HttpResponse, web};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{Answered, Failure, ROWS_MAX, page, parts};
use crate::domain::message::Address;
use crate::domain::records::Employee;
use crate::relay::conversation_of;
use crate::store::{Conversation, KnownAddress, Page, Store};
use crate::web::State;

/// How long free text may be sent after a person's last message.
const WINDOW: SignedDuration = SignedDuration::from_hours(24);
/// Pages of the address book that one answer looks through: 20,000 addresses.
const ADDRESS_PAGES_MAX: usize = 100;

pub async fn list(state: web::Data<State>, request: HttpRequest) -> Answered {
    let page = page(&request)?;
    let parts = parts(&state)?;
    let world = parts.world.load();
    let skip = match &page.after {
        None => 0,
        Some(after) => {
            let place = world
                .employees()
                .iter()
                .position(|employee| employee.id.as_str() == after);
            place.ok_or_else(|| Failure::BadQuery("`after` is the `next` of the page before".into()))? + 1
        }
    };
    let bound = bound(&parts.store).await?;
    let employees: Vec<&Employee> = world.employees().iter().skip(skip).take(page.limit).collect();
    let now = Timestamp::now();
    let mut rows = Vec::with_capacity(employees.len());
    for employee in &employees {
        let conversation = parts.store.conversation(&conversation_of(&employee.id)).await?;
        let known = bound.get(employee.id.as_str()).map_or(&[][..], Vec::as_slice);
        rows.push(row(employee, known, conversation.as_ref(), now));
    }
    let more = skip + employees.len() < world.employees().len();
    let next = employees.last().filter(|_| more).map(|employee| employee.id.as_str());
    Ok(HttpResponse::Ok().json(json!({ "rows": rows, "next": next })))
}

/// The addresses of each person, as messages have shown them.
async fn bound(store: &Store) -> Result<HashMap<String, Vec<KnownAddress>>, Failure> {
    let mut bound: HashMap<String, Vec<KnownAddress>> = HashMap::new();
    let mut page = Page::first(ROWS_MAX);
    for _ in 0..ADDRESS_PAGES_MAX {
        let found = store.addresses(&page).await?;
        for known in found.rows {
            if let Some(person) = known.person.clone() {
                bound.entry(person).or_default().push(known);
            }
        }
        match found.next {
            None => break,
            next => page.after = next,
        }
    }
    Ok(bound)
}

fn row(employee: &Employee, known: &[KnownAddress], conversation: Option<&Conversation>, now: Timestamp) -> Value {
    let mut addresses: Vec<&Address> = known
        .iter()
        .flat_map(|k| std::iter::once(&k.address).chain(&k.also))
        .collect();
    addresses.sort();
    addresses.dedup();
    let last_inbound_at = conversation.and_then(|c| c.last_inbound_at);
    json!({
        "id": employee.id,
        "name": employee.name,
        "role": employee.role,
        "zone": employee.zone,
        "crew_id": employee.crew_id,
        "active": employee.active,
        "phone": employee.phone,
        "addresses": addresses,
        "conversation": conversation.map(|c| &c.id),
        "opted_out": conversation.is_some_and(|c| c.opted_out),
        "last_inbound_at": last_inbound_at,
        "window": window(last_inbound_at, now),
    })
}

/// `open` until, `closed` since, or `never` opened.
fn window(last_inbound_at: Option<Timestamp>, now: Timestamp) -> Value {
    let Some(closes) = last_inbound_at.and_then(|at| at.checked_add(WINDOW).ok()) else {
        return json!({ "state": "never", "expires_at": null });
    };
    let state = if now < closes { "open" } else { "closed" };
    json!({ "state": state, "expires_at": closes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_open_for_a_day_from_the_last_message() {
        let at: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        let state = |now: &str| window(Some(at), now.parse().unwrap())["state"].clone();
        assert_eq!(state("2026-12-01T11:59:59Z"), "open");
        assert_eq!(state("2026-12-01T12:00:00Z"), "closed");
        assert_eq!(window(None, at)["state"], "never");
        assert_eq!(window(Some(at), at)["expires_at"], "2026-12-01T12:00:00Z");
    }
}
