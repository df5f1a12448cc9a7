//! The check across settings: what does not fit together is refused by the names of both keys.

use secrecy::{ExposeSecret, SecretString};

use super::{Config, ConfigError, SANDBOX_SENDER, wrong};
use crate::domain::message::Address;

impl Config {
    /// The check across keys; each message names the keys that do not fit together.
    pub(super) fn validated(mut self) -> Result<Self, ConfigError> {
        self.server.public_url = self.server.public_url.trim_end_matches('/').to_owned();
        check_public_url(&self.server.public_url)?;
        self.zone_times()?;
        if self.operator.language != "es" {
            return Err(wrong("operator.language", "replies exist in Spanish only: use `es`"));
        }
        if !self.server.bind.ip().is_loopback() && self.server.admin_key.expose_secret().is_empty() {
            return Err(wrong(
                "RELEVO_BIND",
                format!(
                    "{} is not loopback: set RELEVO_ADMIN_KEY first, or bind 127.0.0.1 and put Caddy in front",
                    self.server.bind
                ),
            ));
        }
        let key = self.server.admin_key.expose_secret();
        if !key.is_empty() && key.chars().count() < 16 {
            return Err(wrong("RELEVO_ADMIN_KEY", "at least 16 characters are needed"));
        }
        self.check_twilio()?;
        self.check_rhythm()?;
        self.check_systems()?;
        self.mail.check()?;
        self.whatsapp.check()?;
        Ok(self)
    }

    fn check_twilio(&self) -> Result<(), ConfigError> {
        let t = &self.twilio;
        let set = |secret: &SecretString| !secret.expose_secret().is_empty();
        for (key, base) in [
            ("TWILIO_API_BASE", &t.api_base),
            ("TWILIO_MESSAGING_BASE", &t.messaging_base),
            ("TWILIO_CONTENT_BASE", &t.content_base),
        ] {
            let local = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"]
                .iter()
                .any(|p| base.starts_with(p));
            if !base.starts_with("https://") && !local {
                return Err(wrong(key, "https:// is needed (http:// only for a fake on loopback)"));
            }
        }
        if t.recipient_gap_ms != "auto" && t.recipient_gap_ms.parse::<u64>().is_err() {
            return Err(wrong("twilio.recipient_gap_ms", "`auto` or milliseconds"));
        }
        if t.account_sid.is_empty() {
            let orphan = [
                ("TWILIO_AUTH_TOKEN", set(&t.auth_token)),
                ("TWILIO_API_KEY_SID", !t.api_key_sid.is_empty()),
                ("TWILIO_WHATSAPP_FROM", !t.from.is_empty()),
            ];
            return match orphan.iter().find(|(_, is_set)| *is_set) {
                Some((name, _)) => Err(wrong("TWILIO_ACCOUNT_SID", format!("is missing while {name} is set"))),
                None => Ok(()),
            };
        }
        let hex = t
            .account_sid
            .strip_prefix("AC")
            .is_some_and(|h| h.len() == 32 && h.bytes().all(|b| b.is_ascii_hexdigit()));
        if !hex {
            return Err(wrong("TWILIO_ACCOUNT_SID", "AC and 32 hexadecimal digits are needed"));
        }
        if t.api_key_sid.is_empty() == set(&t.api_key_secret) {
            return Err(wrong("TWILIO_API_KEY_SID", "and TWILIO_API_KEY_SECRET go together"));
        }
        if !set(&t.auth_token) && t.api_key_sid.is_empty() {
            return Err(wrong(
                "TWILIO_AUTH_TOKEN",
                "is missing (or TWILIO_API_KEY_SID with TWILIO_API_KEY_SECRET)",
            ));
        }
        if !self.server.public_url.is_empty() && !set(&t.auth_token) && !set(&t.shared_keys) {
            return Err(wrong(
                "TWILIO_AUTH_TOKEN",
                "is needed to check the webhooks' signatures (an API key cannot; TWILIO_SHARED_KEYS can)",
            ));
        }
        let senders = t.senders();
        if senders.is_empty() {
            return Err(wrong(
                "TWILIO_WHATSAPP_FROM",
                format!("is missing; the sandbox's is {SANDBOX_SENDER}"),
            ));
        }
        match senders.iter().find(|s| Address::parse(s).is_err()) {
            Some(_) => Err(wrong(
                "TWILIO_WHATSAPP_FROM",
                format!("needs the form {SANDBOX_SENDER}, with `whatsapp:`"),
            )),
            None => Ok(()),
        }
    }

    fn check_rhythm(&self) -> Result<(), ConfigError> {
        let r = &self.relay;
        const DAY_SECS: u64 = 86_400;
        let (server, media, store) = (&self.server, &self.media, &self.store);
        // Beyond these a sum of times overflows or the machine runs out of memory; so far out is a slip.
        let bounded = [
            ("server.drain_secs", server.drain_secs, 0..=3_600),
            ("server.body_secs", server.body_secs, 1..=300),
            ("server.body_bytes_max", server.body_bytes_max as u64, 1..=16 << 20),
            ("server.in_flight_max", server.in_flight_max as u64, 1..=100_000),
            ("twilio.timeout_secs", self.twilio.timeout_secs, 1..=300),
            (
                "twilio.send_attempts_max",
                u64::from(self.twilio.send_attempts_max),
                1..=100,
            ),
            ("relay.poll_secs", r.poll_secs, 1..=DAY_SECS),
            ("relay.poll_quiet_secs", r.poll_quiet_secs, 1..=DAY_SECS),
            ("relay.poll_min_age_secs", r.poll_min_age_secs, 0..=3_600),
            ("relay.sweep_mins", r.sweep_mins, 1..=1_440),
            ("relay.sweep_days", r.sweep_days, 1..=30),
            ("relay.stale_after_mins", r.stale_after_mins, 1..=43_200),
            ("relay.hold_unfinished_ms", r.hold_unfinished_ms, 0..=DAY_SECS * 1_000),
            ("relay.hold_media_ms", r.hold_media_ms, 0..=DAY_SECS * 1_000),
            ("relay.hold_max_ms", r.hold_max_ms, 0..=DAY_SECS * 1_000),
            ("relay.parallel_turns", r.parallel_turns as u64, 1..=1_000),
            ("relay.lease_secs", r.lease_secs, 5..=3_600),
            ("relay.attempts_max", u64::from(r.attempts_max), 1..=100),
            ("relay.turn_secs", r.turn_secs, 1..=3_600),
            ("relay.typing_after_ms", r.typing_after_ms, 0..=DAY_SECS * 1_000),
            ("relay.text_chars_max", r.text_chars_max as u64, 100..=65_536),
            ("relay.pending_secs", r.pending_secs, 1..=3_600),
            ("relay.writes_per_hour_max", u64::from(r.writes_per_hour_max), 1..=1_000),
            ("media.bytes_max", media.bytes_max, 1..=1 << 30),
            ("media.files_max", media.files_max as u64, 1..=100),
            ("media.timeout_secs", media.timeout_secs, 1..=300),
            ("media.keep_days", u64::from(media.keep_days), 1..=36_500),
            (
                "media.folder_bytes_max",
                media.folder_bytes_max,
                media.bytes_max..=u64::MAX,
            ),
            ("store.cache_bytes", store.cache_bytes as u64, 1 << 20..=64 << 30),
            ("store.queue_max", store.queue_max as u64, 1..=1_000_000),
            ("store.sids_days", u64::from(store.sids_days), 3..=36_500),
            ("store.turns_max", store.turns_max as u64, 1..=1_000_000),
        ];
        for (key, value, bounds) in bounded {
            if !bounds.contains(&value) {
                let (least, most) = bounds.into_inner();
                return Err(wrong(key, format!("{value} is out of bounds: {least} to {most}")));
            }
        }
        if r.turn_secs >= r.lease_secs {
            return Err(wrong(
                "relay.turn_secs",
                "must be less than relay.lease_secs, else a turn is answered twice",
            ));
        }
        Ok(())
    }
}

/// A public URL is https with a host, without path, query or fragment.
fn check_public_url(url: &str) -> Result<(), ConfigError> {
    if url.is_empty() {
        return Ok(());
    }
    let key = "PUBLIC_URL";
    let local = url.starts_with("http://127.0.0.1") || url.starts_with("http://localhost");
    let Some(rest) = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://").filter(|_| local))
    else {
        return Err(wrong(key, "https://HOST is needed, as Twilio calls it"));
    };
    if rest.is_empty() || rest.contains(['?', '#', ' ']) {
        return Err(wrong(key, "only https://HOST[:PORT][/PATH], without query or fragment"));
    }
    Ok(())
}
