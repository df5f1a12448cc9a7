//! `POST /simulator/send`: what a person did on the phone, as the form that Twilio posts.

use std::time::Instant;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use uuid::Uuid;

use super::cast::{self, Member};
use super::{Door, Served, State, door, files, refused, wire};
use crate::domain::message::MessageSid;

/// Characters that WhatsApp lets a person send us; longer ones never reach the webhook.
const TEXT_CHARS_MAX: usize = 1600;

/// One message from the phone.
#[derive(Debug, Deserialize)]
pub struct Wanted {
    phone: String,
    #[serde(default)]
    text: String,
    /// What a pressed button stands for.
    payload: Option<String>,
    pin: Option<WantedPin>,
    /// Ids of stored files.
    #[serde(default)]
    media: Vec<String>,
    /// The message of relevo that this answers.
    reply_to: Option<MessageSid>,
}

#[derive(Debug, Deserialize)]
struct WantedPin {
    lat: f64,
    lon: f64,
    #[serde(default)]
    label: String,
    #[serde(default)]
    address: String,
    #[serde(default)]
    forwarded: bool,
}

/// Posts the message to the real webhook and tells what that answered.
pub async fn send(state: web::Data<State>, request: HttpRequest, wanted: web::Json<Wanted>) -> Served {
    let door = door(&state, &request)?;
    let wanted = wanted.into_inner();
    let Some(member) = cast::member(&door.parts.world.load(), &wanted.phone) else {
        return Err(refused(StatusCode::NOT_FOUND, "format.simulator.unknown_person"));
    };
    if wanted
        .pin
        .as_ref()
        .is_some_and(|pin| pin.lat.abs() > 90.0 || pin.lon.abs() > 180.0)
    {
        return Err(refused(StatusCode::BAD_REQUEST, "format.simulator.bad_pin"));
    }
    let Some(types) = files::types(&door, &wanted.media).await else {
        return Err(refused(StatusCode::NOT_FOUND, "format.simulator.no_file"));
    };
    let prefix = if wanted.media.is_empty() { "SM" } else { "MM" };
    let sid = format!("{prefix}{}", Uuid::new_v4().simple());
    let form = form(&door, &member, &wanted, &types, &sid);
    let began = Instant::now();
    let answer = wire::post(&door, "/webhooks/twilio", &form).await.map_err(|fault| {
        tracing::warn!("the simulator could not post to the webhook: {fault}");
        refused(StatusCode::BAD_GATEWAY, "format.simulator.no_answer")
    })?;
    let accepted = answer.status == 200;
    Ok(HttpResponse::Ok().json(serde_json::json!({
        "sid": sid,
        "status": answer.status,
        "body": if accepted { "".into() } else { String::from_utf8_lossy(&answer.body) },
        "ms": u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    })))
}

/// The fields that Twilio sends, in the order in which it sends them.
fn form(door: &Door<'_>, member: &Member, wanted: &Wanted, types: &[String], sid: &str) -> Vec<(String, String)> {
    let simulator = door.simulator;
    let digits = wanted.phone.trim_start_matches('+');
    let body: String = wanted.text.chars().take(TEXT_CHARS_MAX).collect();
    let metadata = serde_json::json!({
        "type": "whatsapp",
        "data": { "context": { "ProfileName": member.name, "WaId": digits } },
    });
    let mut form = vec![
        ("SmsMessageSid", sid.to_owned()),
        ("NumMedia", types.len().to_string()),
        ("ProfileName", member.name.clone()),
        ("MessageType", message_type(wanted, types).to_owned()),
        ("SmsSid", sid.to_owned()),
        ("WaId", digits.to_owned()),
        ("SmsStatus", "received".to_owned()),
        ("Body", body.clone()),
        ("To", simulator.sender.clone()),
        ("NumSegments", "1".to_owned()),
        ("ReferralNumMedia", "0".to_owned()),
        ("MessageSid", sid.to_owned()),
        ("AccountSid", simulator.account_sid.clone()),
        ("ChannelMetadata", metadata.to_string()),
        ("From", format!("whatsapp:{}", wanted.phone)),
        ("ApiVersion", "2010-04-01".to_owned()),
    ];
    if let Some(payload) = &wanted.payload {
        form.extend([
            ("ButtonText", body),
            ("ButtonPayload", payload.clone()),
            ("ButtonType", "REPLY".to_owned()),
        ]);
    }
    if let Some(pin) = &wanted.pin {
        form.extend([("Latitude", pin.lat.to_string()), ("Longitude", pin.lon.to_string())]);
        let named = [("Address", &pin.address), ("Label", &pin.label)];
        form.extend(
            named
                .into_iter()
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, value)| (name, value.clone())),
        );
        if pin.forwarded {
            form.push(("Forwarded", "true".to_owned()));
        }
    }
    if let Some(reply_to) = &wanted.reply_to {
        form.extend([
            ("OriginalRepliedMessageSid", reply_to.to_string()),
            ("OriginalRepliedMessageSender", simulator.sender.clone()),
        ]);
    }
    let mut form: Vec<(String, String)> = form.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    for (n, (id, content_type)) in wanted.media.iter().zip(types).enumerate() {
        form.push((format!("MediaContentType{n}"), content_type.clone()));
        let path = format!(
            "/simulator/2010-04-01/Accounts/{}/Messages/{sid}/Media/{id}",
            simulator.account_sid
        );
        form.push((format!("MediaUrl{n}"), format!("{}{path}", wire::base(door))));
    }
    form
}

fn message_type<'t>(wanted: &Wanted, types: &'t [String]) -> &'t str {
    match types.first().and_then(|t| t.split_once('/')) {
        _ if wanted.pin.is_some() => "location",
        _ if wanted.payload.is_some() => "button",
        Some((kind @ ("image" | "audio" | "video"), _)) => kind,
        Some(("text", "vcard" | "x-vcard")) => "contacts",
        Some(_) => "document",
        None => "text",
    }
}
