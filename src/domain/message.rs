//! A message from a person, as the relay holds it: every field typed, unknown ones kept.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::geo::Point;

/// An address of WhatsApp, exactly as received: `whatsapp:+56…` or `whatsapp:CL.4566…` (BSUID).
/// Its `Debug` is masked, since it names a person.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Address(String);

/// The text is no address we can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an address is whatsapp:+ and 7 to 15 digits, or whatsapp:CC. and up to 128 letters and digits")]
pub struct BadAddress;

impl Address {
    /// Reads an address; nothing is rewritten.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let rest = text.strip_prefix("whatsapp:").ok_or(BadAddress)?;
        let sound = match rest.strip_prefix('+') {
            Some(digits) => (7..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()),
            None => match rest.split_once('.') {
                Some((country, id)) => {
                    country.len() == 2
                        && country.bytes().all(|b| b.is_ascii_uppercase())
                        && (1..=128).contains(&id.len())
                        && id.bytes().all(|b| b.is_ascii_alphanumeric())
                }
                None => false,
            },
        };
        sound.then(|| Self(text.to_owned())).ok_or(BadAddress)
    }

    /// The address as received.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `+56…` when this is a phone.
    pub fn phone(&self) -> Option<&str> {
        self.0.strip_prefix("whatsapp:").filter(|rest| rest.starts_with('+'))
    }
}

impl TryFrom<String> for Address {
    type Error = BadAddress;
    fn try_from(text: String) -> Result<Self, BadAddress> {
        Self::parse(&text)
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.0
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&super::redact::address(&self.0))
    }
}

/// A message's id at Twilio: `SM` or `MM` and 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MessageSid(String);

/// The text is no message id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a message id is SM or MM and 32 hexadecimal digits")]
pub struct BadSid;

impl MessageSid {
    /// Reads an id.
    pub fn parse(text: &str) -> Result<Self, BadSid> {
        let rest = text
            .strip_prefix("SM")
            .or_else(|| text.strip_prefix("MM"))
            .ok_or(BadSid)?;
        let sound = rest.len() == 32 && rest.bytes().all(|b| b.is_ascii_hexdigit());
        sound.then(|| Self(text.to_owned())).ok_or(BadSid)
    }

    /// The id as received.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for MessageSid {
    type Error = BadSid;
    fn try_from(text: String) -> Result<Self, BadSid> {
        Self::parse(&text)
    }
}

impl From<MessageSid> for String {
    fn from(sid: MessageSid) -> Self {
        sid.0
    }
}

impl fmt::Display for MessageSid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which door a message came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The signed webhook: complete.
    Webhook,
    /// The message list: no location, buttons, profile; a webhook may still enrich it.
    Poll,
}

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaRef {
    /// Where Twilio says it is.
    pub url: String,
    /// What Twilio says it is; only a hint.
    pub content_type: String,
}

/// A pin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// Where.
    pub point: Point,
    /// Street address, if sent.
    pub address: String,
    /// Name of the place, if sent.
    pub label: String,
}

/// An inbound message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inbound {
    /// The key by which it is deduplicated.
    pub sid: MessageSid,
    /// The Twilio account that received it.
    pub account: String,
    /// The sender, to whom the reply goes.
    pub from: Address,
    /// Our own number that it came to.
    pub to: String,
    /// What was written; may be empty.
    pub body: String,
    /// What a pressed button or list row stands for: the first non-empty of ButtonPayload, ListId, ListItemId.
    pub command: Option<String>,
    /// A pin.
    pub pin: Option<Pin>,
    /// Files.
    pub media: Vec<MediaRef>,
    /// Files that Twilio counts; more than `media` holds when the message was polled.
    pub num_media: u32,
    /// `text`, `image`, `location`, …: an open set.
    pub message_type: String,
    /// The sender's profile name, personal data.
    pub profile_name: Option<String>,
    /// The sender's WhatsApp id (digits).
    pub wa_id: Option<String>,
    /// The sender's business-scoped address (`ExternalUserId`).
    pub external_id: Option<Address>,
    /// The message of ours that this answers.
    pub reply_to: Option<MessageSid>,
    /// Forwarded, once or often: a forwarded pin is not the sender's own position.
    pub forwarded: bool,
    /// Every field we have no name for, as received.
    pub extra: BTreeMap<String, String>,
    /// Which door it came through.
    pub origin: Origin,
    /// When it was sent, by Twilio's list; None for a webhook.
    pub sent_at: Option<Timestamp>,
    /// When we first saw it (machine time).
    pub received_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_phone_or_a_business_scoped_id() {
        assert_eq!(
            Address::parse("whatsapp:+5215512345678").unwrap().phone(),
            Some("+5215512345678")
        );
        assert_eq!(Address::parse("whatsapp:MX.4566546130240823").unwrap().phone(), None);
        for junk in [
            "+5215512345678",
            "whatsapp:",
            "whatsapp:+",
            "whatsapp:+12",
            "whatsapp:mx.1",
            "whatsapp:+1415523888x",
            "sms:+14155238886",
        ] {
            assert!(Address::parse(junk).is_err(), "{junk}");
        }
    }

    #[test]
    fn the_debug_form_of_an_address_keeps_the_last_four_digits_only() {
        let address = Address::parse("whatsapp:+56980000022").unwrap();
        assert_eq!(format!("{address:?}"), "whatsapp:+***0022");
    }
}
