//! `GET /simulator/messages`: what the outbox has for that phone, and its receipts.
//!
//! A phone that fetches has the message delivered; one that is looked at has read it. Both are
//! told to the real receipt route, as Twilio would.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Door, Refusal, Served, State, door, refused, wire};
use crate::domain::message::MessageSid;
use crate::domain::outbound::{Delivery, Outbound};
use crate::store::Page;
use crate::twilio::inbound::OUTBOX_KEY;

/// Messages looked through for those of one phone.
const ROWS_MAX: usize = 200;

/// What the page asks.
#[derive(Debug, Deserialize)]
pub struct Asked {
    phone: String,
    /// The `after` of the answer before; empty at first.
    #[serde(default)]
    after: String,
    /// Is somebody looking at the phone?
    #[serde(default)]
    seen: bool,
}

#[derive(Serialize)]
struct Shown {
    id: Uuid,
    /// Milliseconds since 1970, as browsers count.
    at: i64,
    body: String,
    delivery: Delivery,
    sid: Option<MessageSid>,
    suggestions: Vec<String>,
    answers: Vec<MessageSid>,
    attempts: u32,
    reason: Option<String>,
}

/// The messages of one phone that changed since `after`.
pub async fn messages(state: web::Data<State>, request: HttpRequest, asked: web::Query<Asked>) -> Served {
    let door = door(&state, &request)?;
    let asked = asked.into_inner();
    let mut rows = of_phone(&door, &asked.phone).await?;
    let due: Vec<_> = rows.iter().filter_map(|row| receipt(row, asked.seen)).collect();
    if !due.is_empty() {
        for (row, status) in due {
            report(&door, row, status).await;
        }
        rows = of_phone(&door, &asked.phone).await?;
    }
    let after = asked.after.parse::<Timestamp>().unwrap_or(Timestamp::MIN);
    let newest = rows
        .iter()
        .map(|row| row.updated_at)
        .max()
        .map_or(after, |newest| newest.max(after));
    let messages: Vec<Shown> = rows
        .into_iter()
        .filter(|row| row.updated_at > after)
        .map(shown_as)
        .collect();
    let after = if newest == Timestamp::MIN {
        String::new()
    } else {
        newest.to_string()
    };
    Ok(HttpResponse::Ok().json(serde_json::json!({ "messages": messages, "after": after })))
}

/// Waiting and sent ones, of the newest.
async fn of_phone(door: &Door<'_>, phone: &str) -> Result<Vec<Outbound>, Refusal> {
    let store = &door.parts.store;
    let page = Page::first(ROWS_MAX);
    let (waiting, sent) = futures_util::try_join!(store.outbox(&page), store.sent(&page)).map_err(|error| {
        tracing::warn!("the simulator could not read the outbox: {error}");
        refused(StatusCode::SERVICE_UNAVAILABLE, "format.simulator.broken")
    })?;
    let to_phone = |row: &Outbound| row.message.to.phone() == Some(phone);
    Ok(waiting.rows.into_iter().chain(sent.rows).filter(to_phone).collect())
}

/// The next receipt that is due for a message.
fn receipt(row: &Outbound, seen: bool) -> Option<(&Outbound, &'static str)> {
    match row.delivery {
        Delivery::Accepted | Delivery::Sent => Some((row, if seen { "read" } else { "delivered" })),
        Delivery::Delivered if seen => Some((row, "read")),
        _ => None,
    }
}

async fn report(door: &Door<'_>, row: &Outbound, status: &str) {
    let Some(sid) = &row.sid else { return };
    let form = [
        ("SmsSid", sid.as_str()),
        ("SmsStatus", status),
        ("MessageStatus", status),
        ("ChannelToAddress", row.message.to.as_str()),
        ("To", row.message.to.as_str()),
        ("MessageSid", sid.as_str()),
        ("AccountSid", &door.simulator.account_sid),
        ("From", &row.message.from),
        ("ApiVersion", "2010-04-01"),
        ("ChannelInstallSid", ""),
        ("ChannelPrefix", "whatsapp"),
    ];
    let form = form.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let target = format!("/webhooks/twilio/status?{OUTBOX_KEY}={}", row.id);
    if let Err(fault) = wire::post(door, &target, &form).await {
        tracing::warn!(outbox.id = %row.id, "the simulator could not post a receipt: {fault}");
    }
}

fn shown_as(row: Outbound) -> Shown {
    Shown {
        id: row.id,
        at: row.created_at.as_millisecond(),
        body: row.message.body,
        delivery: row.delivery,
        sid: row.sid,
        suggestions: row.message.suggestions,
        answers: row.message.answers,
        attempts: row.attempts,
        reason: row.reason,
    }
}
