//! The sections of the settings file, one struct each; `deploy/relevo.toml` documents the defaults.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::{SANDBOX_SENDER, list};

/// Whether the phone in the browser is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Switch {
    /// By the circumstances.
    Auto,
    /// Yes.
    On,
    /// No.
    Off,
}

impl TryFrom<String> for Switch {
    type Error = &'static str;

    fn try_from(word: String) -> Result<Self, Self::Error> {
        match word.as_str() {
            "auto" => Ok(Self::Auto),
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            _ => Err("`auto`, `on` or `off` is needed"),
        }
    }
}

/// The port and what guards it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Where to listen.
    pub bind: SocketAddr,
    /// What Twilio calls, without a slash at the end; empty for none.
    pub public_url: String,
    /// Where everything durable is.
    pub data_dir: PathBuf,
    /// The phone in the browser.
    pub simulator: Switch,
    /// Seconds for what runs to end after SIGTERM.
    pub drain_secs: u64,
    /// Bytes of a webhook's body.
    pub body_bytes_max: usize,
    /// Seconds for a body to arrive.
    pub body_secs: u64,
    /// Requests at once before authentication.
    pub in_flight_max: usize,
    /// The admin's key; empty for the loopback rule.
    pub admin_key: SecretString,
}

impl Server {
    /// The public URL for people to read: a password in it (Twilio can be given one) is not shown.
    pub fn public_url_shown(&self) -> String {
        match self.public_url_password() {
            Some(password) => self.public_url.replacen(&format!(":{password}@"), ":***@", 1),
            None => self.public_url.clone(),
        }
    }

    /// The password in the public URL, if there is one.
    pub fn public_url_password(&self) -> Option<&str> {
        let authority = self.public_url.split_once("://")?.1.split('/').next()?;
        let password = authority.rsplit_once('@')?.0.split_once(':')?.1;
        (!password.is_empty()).then_some(password)
    }
}

/// How much is logged.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// A level or a filter.
    pub level: String,
}

/// What an unknown number gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum UnknownNumbers {
    /// Guest on the demo operator, refused elsewhere.
    Auto,
    /// Read only, without people's data.
    Guest,
    /// A polite refusal.
    Refuse,
}

impl TryFrom<String> for UnknownNumbers {
    type Error = &'static str;

    fn try_from(word: String) -> Result<Self, Self::Error> {
        match word.as_str() {
            "auto" => Ok(Self::Auto),
            "guest" => Ok(Self::Guest),
            "refuse" => Ok(Self::Refuse),
            _ => Err("`auto`, `guest` or `refuse` is needed"),
        }
    }
}

/// Whose systems these are.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operator {
    /// What replies call the operator.
    pub name: String,
    /// The language of replies; `es` is the one there is.
    pub language: String,
    /// IANA name of the operator's time zone.
    pub time_zone: String,
    /// Zones or regions whose clock differs.
    #[serde(default)]
    pub zone_times: BTreeMap<String, String>,
    /// What an unknown number gets.
    pub unknown_numbers: UnknownNumbers,
}

/// The account at Twilio.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twilio {
    /// `AC…`; empty when there is no account.
    pub account_sid: String,
    /// The primary token.
    pub auth_token: SecretString,
    /// A second token accepted during rotation.
    pub auth_token_secondary: SecretString,
    /// `id:secret, …` for SHA-256 signatures.
    pub shared_keys: SecretString,
    /// `ACsid:token, …` of subaccounts.
    pub account_tokens: SecretString,
    /// `SK…`, preferred for sending.
    pub api_key_sid: String,
    /// Its secret.
    pub api_key_secret: SecretString,
    /// Our senders, comma-separated.
    pub from: String,
    /// Base of the REST API.
    pub api_base: String,
    /// Base of the messaging API.
    pub messaging_base: String,
    /// Base of the content API.
    pub content_base: String,
    /// Milliseconds between two messages to one person, or `auto`.
    pub recipient_gap_ms: String,
    /// Seconds of one call.
    pub timeout_secs: u64,
    /// Sends before the dead letters.
    pub send_attempts_max: u32,
}

impl Twilio {
    /// Are the account and a way to sign in set?
    pub fn is_set(&self) -> bool {
        !self.account_sid.is_empty()
    }

    /// Our senders as addresses, in the order given.
    pub fn senders(&self) -> Vec<String> {
        list(&self.from)
    }

    /// Milliseconds between two messages to one person from `sender`.
    pub fn recipient_gap_ms(&self, sender: &str) -> u64 {
        match self.recipient_gap_ms.parse() {
            Ok(gap) => gap,
            Err(_) if sender == SANDBOX_SENDER => 3_000,
            Err(_) => 0,
        }
    }

    /// Pairs of `id:secret` from a comma-separated setting.
    pub fn pairs(setting: &SecretString) -> Vec<(String, SecretString)> {
        list(setting.expose_secret())
            .into_iter()
            .filter_map(|pair| {
                pair.split_once(':')
                    .map(|(id, secret)| (id.trim().to_owned(), secret.trim().into()))
            })
            .collect()
    }
}

/// The relay's rhythm; the units stand in the names.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    missing_docs,
    reason = "each is documented in deploy/relevo.toml, which is this struct's default"
)]
pub struct Relay {
    pub poll_secs: u64,
    pub poll_quiet_secs: u64,
    pub poll_min_age_secs: u64,
    pub sweep_mins: u64,
    pub sweep_days: u64,
    pub stale_after_mins: u64,
    pub hold_unfinished_ms: u64,
    pub hold_media_ms: u64,
    pub hold_max_ms: u64,
    pub parallel_turns: usize,
    pub lease_secs: u64,
    pub attempts_max: u32,
    pub turn_secs: u64,
    pub typing_after_ms: u64,
    pub sender_messages_max: u32,
    pub text_chars_max: usize,
    /// A preview waits this long for its yes.
    pub pending_secs: u64,
    /// Writes of one person that are carried out in a rolling hour.
    pub writes_per_hour_max: u32,
}

/// Limits of files received.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Media {
    /// Bytes of one file.
    pub bytes_max: u64,
    /// Files of one message.
    pub files_max: usize,
    /// Seconds of one download.
    pub timeout_secs: u64,
    /// Days a file is kept after it last came.
    pub keep_days: u32,
    /// Bytes of all files together; the oldest give way.
    pub folder_bytes_max: u64,
    /// Minutes that a link to a file opens it.
    pub link_mins: u32,
}

/// Limits of the durable store.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreSettings {
    /// Bytes of the page cache.
    pub cache_bytes: usize,
    /// Writes waiting.
    pub queue_max: usize,
    /// Days that a message id is remembered.
    pub sids_days: u32,
    /// Turns kept of a conversation.
    pub turns_max: usize,
}
