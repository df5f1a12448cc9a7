//! How messages are shown: what the ops team needs of them, under stable names.

use serde_json::{Value, json};

use crate::domain::message::Inbound;
use crate::domain::outbound::Outbound;

/// A message that came in.
pub fn inbound(message: &Inbound) -> Value {
    json!({
        "sid": message.sid,
        "from": message.from,
        "to": message.to,
        "type": message.message_type,
        "text": message.body,
        "command": message.command,
        "pin": message.pin,
        "media": message.num_media,
        "origin": message.origin,
        "sent_at": message.sent_at,
        "received_at": message.received_at,
    })
}

/// A message of ours.
pub fn outbound(sent: &Outbound) -> Value {
    json!({
        "id": sent.id,
        "conversation": sent.message.conversation,
        "to": sent.message.to,
        "from": sent.message.from,
        "text": sent.message.body,
        "purpose": sent.message.purpose,
        "answers": sent.message.answers,
        "delivery": sent.delivery,
        "sid": sent.sid,
        "attempts": sent.attempts,
        "error_code": sent.error_code,
        "reason": sent.reason,
        "created_at": sent.created_at,
        "updated_at": sent.updated_at,
    })
}
