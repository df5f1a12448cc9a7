//! The webhook as Twilio has to be told it, and a sample of what it signs: what most often goes
//! wrong is the URL, and it shows only in a signature that does not match.

use std::io::{self, Write};

use secrecy::ExposeSecret;
use serde::Serialize;

use crate::config::Config;
use crate::twilio::signature::{Algorithm, SIGNATURE_HEADER, sign};

/// Where messages come in.
const INBOUND: &str = "/webhooks/twilio";
/// Where receipts come in.
const STATUS: &str = "/webhooks/twilio/status";
/// Without it Twilio never repeats a request that failed (`#` is not sent and not signed).
const OVERRIDES: &str = "#rc=2&rp=all&rt=5000";
/// Public documentation numbers; nothing is sent to them.
const SAMPLE_FROM: &str = "whatsapp:+15005550006";
const SAMPLE_SID: &str = "SM00000000000000000000000000000000";

/// What the check prints of the webhook.
#[derive(Debug, Serialize)]
pub struct Webhook {
    /// To be set at Twilio for incoming messages.
    pub configure: String,
    /// The URL that is signed.
    pub signed_url: String,
    /// Set by us with each message sent.
    pub status_callback: String,
    /// A sample; None where no Auth Token is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
}

/// A request and the header that it has to carry.
#[derive(Debug, Serialize)]
pub struct Sample {
    /// Always a form that is posted.
    pub method: &'static str,
    /// The form.
    pub body: String,
    /// The header's name.
    pub header: &'static str,
    /// Its value for this body, this URL and the token that is set.
    pub expected: String,
}

impl Webhook {
    /// By the settings; None without a public URL, since nothing can be called then.
    pub fn of(config: &Config) -> Option<Self> {
        let public = &config.server.public_url;
        if public.is_empty() {
            return None;
        }
        let shown = config.server.public_url_shown();
        let signed_url = format!("{public}{INBOUND}");
        let token = config.twilio.auth_token.expose_secret();
        let sample = (!token.is_empty()).then(|| sample(config, &signed_url, token));
        Some(Self {
            configure: format!("{shown}{INBOUND}{OVERRIDES}"),
            status_callback: format!("{shown}{STATUS}"),
            signed_url: format!("{shown}{INBOUND}"),
            sample,
        })
    }

    pub(super) fn text(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "\nAt Twilio, as the webhook for incoming messages (POST):")?;
        writeln!(out, "  {}", self.configure)?;
        writeln!(out, "The URL that is signed, to the letter:")?;
        writeln!(out, "  {}", self.signed_url)?;
        writeln!(out, "Receipts come to (sent along with each message):")?;
        writeln!(out, "  {}", self.status_callback)?;
        if let Some(sample) = &self.sample {
            writeln!(out, "A sample, to compare with what a proxy or a debugger shows:")?;
            writeln!(out, "  {} {}", sample.method, self.signed_url)?;
            writeln!(out, "  {}", sample.body)?;
            writeln!(out, "  {}: {}", sample.header, sample.expected)?;
        }
        Ok(())
    }
}

fn sample(config: &Config, url: &str, token: &str) -> Sample {
    let to = config.twilio.senders().into_iter().next().unwrap_or_default();
    let form = [
        ("MessageSid", SAMPLE_SID),
        ("AccountSid", config.twilio.account_sid.as_str()),
        ("From", SAMPLE_FROM),
        ("To", to.as_str()),
        ("Body", "estado sitio SITE-002"),
        ("NumMedia", "0"),
    ];
    Sample {
        method: "POST",
        body: form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish(),
        header: SIGNATURE_HEADER,
        expected: sign(Algorithm::Sha1, token, url, &form),
    }
}
