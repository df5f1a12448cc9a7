//! A verified webhook form, read into an `Inbound` message or a delivery's new state.
//!
//! Every field of the platform has a typed home; the others are kept in `extra`, since new ones
//! appear without notice. What every message has (ids, addresses) must be there exactly once;
//! what only some have never costs the message: a pin off the Earth is kept as text.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::form::Form;
use super::signature::Verified;
use crate::domain::geo::Point;
use crate::domain::message::{Address, Inbound, MediaRef, MessageSid, Origin, Pin};
use crate::domain::outbound::Delivery;

/// Files read from one message; WhatsApp sends one, other channels up to ten.
const MEDIA_MAX: u32 = 20;

/// Characters kept of a field that is a word or a line: a name, a type, an error's code or its words.
const LINE_CHARS_MAX: usize = 400;

/// Fields that have a typed home, beside `MediaUrl{n}` and `MediaContentType{n}`. Each may come once.
const HOMED: [&str; 21] = [
    "MessageSid",
    "AccountSid",
    "From",
    "To",
    "Body",
    "NumMedia",
    "MessageType",
    "ProfileName",
    "WaId",
    "ExternalUserId",
    "ExternalUserIdentifier",
    "ButtonPayload",
    "ListId",
    "ListItemId",
    "Latitude",
    "Longitude",
    "Address",
    "Label",
    "Forwarded",
    "FrequentlyForwarded",
    "OriginalRepliedMessageSid",
];

/// A signed form that is no message we can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadInbound {
    /// A field that every message has is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field that counts once is there twice.
    #[error("{0} is repeated")]
    Repeated(&'static str),
    /// A field's value has not the form it must have.
    #[error("{0} is not of its form")]
    Malformed(&'static str),
}

/// Reads a message.
pub fn parse(form: &Verified<Form>, received_at: Timestamp) -> Result<Inbound, BadInbound> {
    let form = form.get();
    for name in HOMED {
        once(form, name)?;
    }
    let num_media = match form.first("NumMedia") {
        None | Some("") => 0,
        Some(text) => text.parse().map_err(|_| BadInbound::Malformed("NumMedia"))?,
    };
    // A number that no message can have is not told on.
    let num_media = num_media.min(MEDIA_MAX);
    let pin = pin(form);
    let message = Inbound {
        sid: sid(form)?,
        account: account(form)?,
        from: Address::parse(required(form, "From")?).map_err(|_| BadInbound::Malformed("From"))?,
        // The reply's sender: it has to be one that can send.
        to: Address::parse(required(form, "To")?)
            .map_err(|_| BadInbound::Malformed("To"))?
            .into(),
        body: form.first("Body").unwrap_or_default().to_owned(),
        command: ["ButtonPayload", "ListId", "ListItemId"]
            .into_iter()
            .find_map(|name| filled(form, name)),
        media: media(form, num_media),
        num_media,
        message_type: short(form, "MessageType").unwrap_or_else(|| "text".to_owned()),
        profile_name: short(form, "ProfileName"),
        wa_id: short(form, "WaId"),
        external_id: ["ExternalUserId", "ExternalUserIdentifier"]
            .into_iter()
            .find_map(|name| Address::parse(form.first(name)?).ok()),
        reply_to: form
            .first("OriginalRepliedMessageSid")
            .and_then(|text| MessageSid::parse(text).ok()),
        forwarded: ["Forwarded", "FrequentlyForwarded"]
            .into_iter()
            .any(|name| form.first(name).is_some_and(|text| text.eq_ignore_ascii_case("true"))),
        extra: extra(form, pin.is_some()),
        pin,
        origin: Origin::Webhook,
        sent_at: None,
        received_at,
    };
    Ok(message)
}

/// What a status callback says of a message of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusUpdate {
    /// Twilio's id of the message.
    pub sid: MessageSid,
    /// Our own id of it, if the callback's URL carries one.
    pub outbox: Option<uuid::Uuid>,
    /// Where it stands.
    pub delivery: Delivery,
    /// The error code as sent; it need not be a number.
    pub error_code: Option<String>,
    /// Twilio's words for the error.
    pub detail: Option<String>,
}

/// Query key of the status callback that carries our outbox id.
pub const OUTBOX_KEY: &str = "outbox";

/// Reads a status callback.
pub fn receipt(form: &Verified<Form>) -> Result<StatusUpdate, BadInbound> {
    let form = form.get();
    for name in ["MessageSid", "AccountSid", "MessageStatus", "ErrorCode"] {
        once(form, name)?;
    }
    account(form)?;
    Ok(StatusUpdate {
        sid: sid(form)?,
        outbox: form.query(OUTBOX_KEY).and_then(|text| text.parse().ok()),
        delivery: delivery(required(form, "MessageStatus")?),
        error_code: short(form, "ErrorCode"),
        detail: ["ChannelStatusMessage", "ErrorMessage"]
            .into_iter()
            .find_map(|name| short(form, name)),
    })
}

/// Twilio's word for a message's state. A word we don't know says no more than that Twilio has
/// the message, so it never takes a state back.
pub fn delivery(status: &str) -> Delivery {
    match status {
        "sent" | "partially_delivered" => Delivery::Sent,
        "delivered" => Delivery::Delivered,
        "read" => Delivery::Read,
        "failed" | "undelivered" | "canceled" => Delivery::Failed,
        _ => Delivery::Accepted,
    }
}

fn sid(form: &Form) -> Result<MessageSid, BadInbound> {
    MessageSid::parse(required(form, "MessageSid")?).map_err(|_| BadInbound::Malformed("MessageSid"))
}

fn account(form: &Form) -> Result<String, BadInbound> {
    let sid = required(form, "AccountSid")?;
    let sound = sid
        .strip_prefix("AC")
        .is_some_and(|rest| rest.len() == 32 && rest.bytes().all(|b| b.is_ascii_hexdigit()));
    sound.then(|| sid.to_owned()).ok_or(BadInbound::Malformed("AccountSid"))
}

fn once(form: &Form, name: &'static str) -> Result<(), BadInbound> {
    (form.all(name).count() <= 1)
        .then_some(())
        .ok_or(BadInbound::Repeated(name))
}

fn required<'a>(form: &'a Form, name: &'static str) -> Result<&'a str, BadInbound> {
    form.first(name)
        .filter(|text| !text.is_empty())
        .ok_or(BadInbound::Missing(name))
}

fn filled(form: &Form, name: &str) -> Option<String> {
    form.first(name).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A field that is a word or a line, never a text; what exceeds that is cut.
fn short(form: &Form, name: &str) -> Option<String> {
    filled(form, name).map(|text| text.chars().take(LINE_CHARS_MAX).collect())
}

fn media(form: &Form, count: u32) -> Vec<MediaRef> {
    (0..count.min(MEDIA_MAX))
        .filter_map(|n| {
            Some(MediaRef {
                url: filled(form, &format!("MediaUrl{n}"))?,
                content_type: filled(form, &format!("MediaContentType{n}")).unwrap_or_default(),
            })
        })
        .collect()
}

fn pin(form: &Form) -> Option<Pin> {
    let degrees = |name| form.first(name)?.trim().parse().ok();
    let point = Point::new(degrees("Latitude")?, degrees("Longitude")?).ok()?;
    Some(Pin {
        point,
        address: form.first("Address").unwrap_or_default().to_owned(),
        label: form.first("Label").unwrap_or_default().to_owned(),
    })
}

/// What has no home; the fields of a pin that could not be read stay here too.
fn extra(form: &Form, has_pin: bool) -> BTreeMap<String, String> {
    let homed = |name: &str| {
        let of_pin = matches!(name, "Latitude" | "Longitude" | "Address" | "Label");
        let of_media = ["MediaUrl", "MediaContentType"]
            .into_iter()
            .filter_map(|prefix| name.strip_prefix(prefix))
            .any(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        of_media || (HOMED.contains(&name) && (has_pin || !of_pin))
    };
    let mut extra: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in form.pairs().iter().filter(|(name, _)| !homed(name)) {
        extra
            .entry(name.clone())
            .and_modify(|kept| {
                kept.push('\n');
                kept.push_str(value);
            })
            .or_insert_with(|| value.clone());
    }
    extra
}
