//! A message as the REST API shows it: poorer than a webhook, without pin, button or profile.

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde::{Deserialize, Deserializer};

use crate::domain::message::{Address, Inbound, MediaRef, MessageSid, Origin};
use crate::domain::outbound::Delivery;
use crate::twilio::inbound::delivery;

/// A row of the message list, or a message fetched by its id.
#[derive(Clone, Deserialize)]
pub struct Listed {
    /// Its id.
    pub sid: MessageSid,
    /// The account that has it.
    pub account_sid: String,
    /// `inbound`, `outbound-api`, …
    pub direction: String,
    /// The sender.
    pub from: Option<String>,
    /// The recipient.
    pub to: Option<String>,
    /// The text.
    pub body: Option<String>,
    /// Files, as text.
    num_media: Option<String>,
    /// Where it stands.
    pub status: String,
    /// Why it failed; Twilio's own number.
    pub error_code: Option<i64>,
    /// For an inbound message when the webhook was called.
    #[serde(default, deserialize_with = "instant")]
    pub date_sent: Option<Timestamp>,
    /// When Twilio had it first.
    #[serde(default, deserialize_with = "instant")]
    pub date_created: Option<Timestamp>,
}

// The rest are people's words and addresses.
impl std::fmt::Debug for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listed")
            .field("sid", &self.sid)
            .field("direction", &self.direction)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// One page of the message list.
#[derive(Debug)]
pub struct Page {
    /// Its messages in the order given, newest first.
    pub messages: Vec<Listed>,
    /// Rows that could not be read.
    pub unread: usize,
    /// The next page's URI, relative to the API's host; None at the end.
    pub next: Option<String>,
}

/// RFC 2822 with an offset; what can't be read counts as absent.
fn instant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.and_then(|text| Some(rfc2822::parse(&text).ok()?.timestamp())))
}

impl Listed {
    /// Was it sent to us?
    pub fn is_inbound(&self) -> bool {
        self.direction == "inbound"
    }

    /// Files that came with it.
    pub fn num_media(&self) -> u32 {
        self.num_media.as_deref().and_then(|n| n.parse().ok()).unwrap_or(0)
    }

    /// When it was sent, as nearly as the list says.
    pub fn at(&self) -> Option<Timestamp> {
        self.date_sent.or(self.date_created)
    }

    /// Where the delivery of a message of ours stands.
    pub fn delivery(&self) -> Delivery {
        delivery(&self.status)
    }

    /// The error code as text.
    pub fn error(&self) -> Option<String> {
        self.error_code.map(|code| code.to_string())
    }

    /// The message for the inbox, with its files as listed. None when it has no address to answer.
    pub fn into_inbound(self, media: Vec<MediaRef>, received_at: Timestamp) -> Option<Inbound> {
        let num_media = self.num_media();
        let sent_at = self.at();
        let body = self.body.unwrap_or_default();
        // The list does not tell the type; only what is plain to see is said.
        let message_type = match (num_media, body.is_empty()) {
            (1.., _) => "media",
            (0, false) => "text",
            (0, true) => "unknown",
        };
        Some(Inbound {
            sid: self.sid,
            account: self.account_sid,
            from: Address::parse(self.from.as_deref()?).ok()?,
            to: self.to?,
            body,
            command: None,
            pin: None,
            media,
            num_media,
            message_type: message_type.to_owned(),
            profile_name: None,
            wa_id: None,
            external_id: None,
            reply_to: None,
            forwarded: false,
            extra: Default::default(),
            origin: Origin::Poll,
            sent_at,
            received_at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_with_its_times_and_becomes_a_polled_message() {
        let row = serde_json::json!({
            "sid": "SM00000000000000000000000000000001", "account_sid": "AC1", "direction": "inbound",
            "from": "whatsapp:+56980000022", "to": "whatsapp:+14155238886", "body": "", "num_media": "0",
            "status": "received", "error_code": null, "date_sent": "Mon, 30 Nov 2026 12:00:00 +0000",
            "date_created": "nonsense", "subresource_uris": {}
        });
        let listed: Listed = serde_json::from_value(row).unwrap();
        assert_eq!(listed.at().unwrap().to_string(), "2026-11-30T12:00:00Z");
        assert_eq!(listed.date_created, None);
        assert!(!format!("{listed:?}").contains("98000"));
        let message = listed.into_inbound(Vec::new(), Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(
            (message.origin, message.message_type.as_str()),
            (Origin::Poll, "unknown")
        );
    }
}
