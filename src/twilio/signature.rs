//! `X-Twilio-Signature`: proves that a request is Twilio's.
//!
//! In comes a request as it was received, out goes a `Verified<Form>` or a `Rejection`. Two
//! schemes: HMAC-SHA1 with an account's Auth Token, and a SharedKey named by the settings header
//! (SHA-1 or SHA-256). Each account may have two tokens, so that one can be rotated without an
//! outage. Forwarding headers are never believed. A signature carries no time: replays are the
//! store's to refuse, by MessageSid.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

pub use super::form::{BadForm, Form};
use super::public_url::variants;
pub use super::public_url::{BadPublicUrl, PublicUrl};

/// The header with the signature.
pub const SIGNATURE_HEADER: &str = "X-Twilio-Signature";
/// The header that says a SharedKey signed.
pub const SETTINGS_HEADER: &str = "X-Twilio-Webhooks-Signature-Settings";
/// The query key by which a JSON body is bound to the signature.
const BODY_HASH_KEY: &str = "bodySHA256";

/// A value that came in a request whose signature was checked. Only this module makes one.
#[derive(Debug, Clone)]
pub struct Verified<T> {
    value: T,
    by: Secret,
}

impl<T> Verified<T> {
    /// The value.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// Which of our secrets had signed.
    pub fn by(&self) -> Secret {
        self.by
    }
}

/// Which of our secrets signed a request; tells when a rotation is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secret {
    /// An account's Auth Token.
    Primary,
    /// An account's second Auth Token, during a rotation.
    Secondary,
    /// A SharedKey.
    Shared,
}

impl Secret {
    /// The word for a metric's label.
    pub fn label(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Secondary => "secondary",
            Self::Shared => "shared_key",
        }
    }
}

/// Why a request is not taken for Twilio's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// Neither GET nor POST.
    #[error("only GET and POST are signed here")]
    Method,
    /// The request target is no path.
    #[error("the request target is no path")]
    Target,
    /// Neither a form nor JSON.
    #[error("the content type is neither a form nor JSON")]
    ContentType,
    /// A header or field that counts once is there twice.
    #[error("{0} is repeated")]
    Repeated(&'static str),
    /// No signature at all.
    #[error("the signature header is missing")]
    MissingSignature,
    /// The settings header names an algorithm we don't know.
    #[error("the signature's algorithm is not known")]
    Algorithm,
    /// The settings header names a SharedKey we don't have.
    #[error("the signature's SharedKey is not known")]
    SharedKey,
    /// The AccountSid is none of ours.
    #[error("the account is none of ours")]
    Account,
    /// The body can't be read as a form.
    #[error("the form can't be read")]
    Form(#[from] BadForm),
    /// A JSON body that the signed URL does not vouch for.
    #[error("the JSON body does not match its signed hash")]
    BodyHash,
    /// The signature is not that of this request by any secret of ours.
    #[error("the signature does not match")]
    Mismatch,
    /// Neither public URL nor Host header: nothing to check against.
    #[error("there is no Host header and no public URL is set")]
    Host,
    /// No secret is configured, so nothing can be checked.
    #[error("no secret is configured to check signatures with")]
    NoSecret,
}

impl Rejection {
    /// The HTTP status that says whose mistake it is.
    pub fn status(&self) -> u16 {
        match self {
            Self::Method => 405,
            Self::ContentType => 415,
            Self::Target | Self::Repeated(_) | Self::MissingSignature | Self::Form(_) | Self::Host => 400,
            Self::Algorithm | Self::SharedKey | Self::Account | Self::BodyHash | Self::Mismatch => 403,
            Self::NoSecret => 500,
        }
    }

    /// The word for a metric's label.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Target => "target",
            Self::ContentType => "content_type",
            Self::Repeated(_) => "repeated",
            Self::MissingSignature => "no_signature",
            Self::Algorithm => "algorithm",
            Self::SharedKey => "shared_key",
            Self::Account => "account",
            Self::Form(_) => "form",
            Self::BodyHash => "body_hash",
            Self::Mismatch => "signature",
            Self::Host => "host",
            Self::NoSecret => "no_secret",
        }
    }
}

/// Checks requests against our secrets and our public URL.
#[derive(Debug, Clone, Default)]
pub struct Validator {
    public: Option<PublicUrl>,
    /// Tokens by account, the primary first. The account that was given first stands in where a
    /// request names none.
    accounts: Vec<(String, Vec<(Secret, SecretString)>)>,
    shared: Vec<(String, SecretString)>,
}

impl Validator {
    /// A validator for requests to `public`; with None for direct requests to the Host they name,
    /// over plain HTTP (the simulator's case).
    pub fn new(public: Option<PublicUrl>) -> Self {
        Self {
            public,
            ..Self::default()
        }
    }

    /// Adds an account with its Auth Token and, during a rotation, its second one.
    #[must_use]
    pub fn with_account(mut self, sid: &str, token: SecretString, secondary: Option<SecretString>) -> Self {
        let mut tokens = vec![(Secret::Primary, token)];
        tokens.extend(secondary.map(|token| (Secret::Secondary, token)));
        self.accounts.push((sid.to_owned(), tokens));
        self
    }

    /// Adds a SharedKey.
    #[must_use]
    pub fn with_shared_key(mut self, id: &str, secret: SecretString) -> Self {
        self.shared.push((id.to_owned(), secret));
        self
    }

    /// The URL that Twilio signs for a request target; for `check` to print.
    pub fn signed_url(&self, target: &str) -> Option<String> {
        self.public.as_ref().map(|public| public.join(target))
    }

    /// Checks a request as it was received: the method, the raw target (`/path?query`), the
    /// headers and the body's bytes.
    pub fn verify<V: AsRef<[u8]>>(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, V)],
        body: &[u8],
    ) -> Result<Verified<Form>, Rejection> {
        let given = header(headers, SIGNATURE_HEADER)?.ok_or(Rejection::MissingSignature)?;
        let settings = Settings::parse(header(headers, SETTINGS_HEADER)?.unwrap_or_default())?;
        let url = self.url(target, headers)?;
        let query = url.split_once('?').map_or("", |(_, query)| query);
        let (form, signed_params) = match (method, Content::of(header(headers, "Content-Type")?, body)?) {
            ("GET", _) => (Form::get_request(query)?, false),
            ("POST", Content::Form) => (Form::post(body, query)?, true),
            ("POST", Content::Json) => {
                let form = Form::post(b"", query)?;
                check_body_hash(&form, body)?;
                (form, false)
            }
            _ => return Err(Rejection::Method),
        };
        let params = if signed_params { form.pairs() } else { &[] };
        let mut urls = variants(&url);
        if method == "GET" {
            // Twilio signs `sip:user@host` as it is but sends it percent-encoded.
            urls.extend(variants(&url.replace("%40", "@").replace("%3A", ":")));
        }
        let tail = canonical(params);
        let mut matched = None;
        for (by, secret) in self.secrets(&settings, &form)? {
            for url in &urls {
                let expected = settings.algorithm.sign(secret, url, &tail);
                if matched.is_none() && bool::from(expected.as_bytes().ct_eq(given.as_bytes())) {
                    matched = Some(by);
                }
            }
        }
        matched
            .map(|by| Verified { value: form, by })
            .ok_or(Rejection::Mismatch)
    }

    fn url<V: AsRef<[u8]>>(&self, target: &str, headers: &[(&str, V)]) -> Result<String, Rejection> {
        let target = target.split('#').next().unwrap_or_default();
        if !target.starts_with('/') {
            return Err(Rejection::Target);
        }
        match &self.public {
            Some(public) => Ok(public.join(target)),
            None => {
                let host = header(headers, "Host")?.ok_or(Rejection::Host)?;
                Ok(["http://", host, target].concat())
            }
        }
    }

    fn secrets(&self, settings: &Settings, form: &Form) -> Result<Vec<(Secret, &str)>, Rejection> {
        if self.accounts.is_empty() && self.shared.is_empty() {
            return Err(Rejection::NoSecret);
        }
        if let Some(key) = &settings.key {
            let found = self
                .shared
                .iter()
                .find(|(id, _)| id == key)
                .ok_or(Rejection::SharedKey)?;
            return Ok(vec![(Secret::Shared, found.1.expose_secret())]);
        }
        let mut named = form.all("AccountSid");
        let account = named.next();
        if named.any(|other| Some(other) != account) {
            return Err(Rejection::Repeated("AccountSid"));
        }
        let tokens = match account {
            Some(sid) => self.accounts.iter().find(|(id, _)| id == sid),
            None => self.accounts.first(),
        };
        let (_, tokens) = tokens.ok_or(Rejection::Account)?;
        Ok(tokens.iter().map(|(by, token)| (*by, token.expose_secret())).collect())
    }
}

/// What signs, by the settings header; without it an Auth Token does, by SHA-1.
#[derive(Debug, PartialEq, Eq)]
struct Settings {
    algorithm: Algorithm,
    key: Option<String>,
}

impl Settings {
    /// `key=<id>,algorithm=HMAC_SHA256`: names count letter by letter, values are trimmed, the
    /// algorithm's case does not matter.
    fn parse(header: &str) -> Result<Self, Rejection> {
        let mut settings = Self {
            algorithm: Algorithm::Sha1,
            key: None,
        };
        if header.trim().is_empty() {
            return Ok(settings);
        }
        for (name, value) in header.split(',').filter_map(|piece| piece.split_once('=')) {
            match name.trim() {
                "key" => settings.key = Some(value.trim().to_owned()),
                "algorithm" => settings.algorithm = Algorithm::named(value.trim())?,
                _ => {}
            }
        }
        // A header without a key can't be an Auth Token's: those come without it.
        settings.key.is_some().then_some(settings).ok_or(Rejection::SharedKey)
    }
}

/// The hash of a scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// HMAC-SHA1.
    Sha1,
    /// HMAC-SHA256.
    Sha256,
}

impl Algorithm {
    fn named(name: &str) -> Result<Self, Rejection> {
        match name.to_ascii_uppercase().as_str() {
            "HMAC_SHA1" => Ok(Self::Sha1),
            "HMAC_SHA256" => Ok(Self::Sha256),
            _ => Err(Rejection::Algorithm),
        }
    }

    fn sign(self, secret: &str, url: &str, params: &str) -> String {
        match self {
            Self::Sha1 => mac::<Hmac<Sha1>>(secret, url, params),
            Self::Sha256 => mac::<Hmac<Sha256>>(secret, url, params),
        }
    }
}

fn mac<M: Mac + KeyInit>(secret: &str, url: &str, params: &str) -> String {
    // An HMAC takes a key of any length.
    let Ok(mut mac) = <M as KeyInit>::new_from_slice(secret.as_bytes()) else {
        return String::new();
    };
    mac.update(url.as_bytes());
    mac.update(params.as_bytes());
    BASE64_STANDARD.encode(mac.finalize().into_bytes())
}

/// The signature of a form posted to `url`: what Twilio would send. For the simulator and tests.
pub fn sign<K: AsRef<str>, V: AsRef<str>>(algorithm: Algorithm, secret: &str, url: &str, params: &[(K, V)]) -> String {
    algorithm.sign(secret, url, &canonical(params))
}

/// Each distinct value of each distinct key, both sorted by code point, key before value.
/// (Sorting the joined text instead would differ where one key begins another.)
fn canonical<K: AsRef<str>, V: AsRef<str>>(params: &[(K, V)]) -> String {
    let mut by_key: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (key, value) in params {
        by_key.entry(key.as_ref()).or_default().insert(value.as_ref());
    }
    by_key
        .iter()
        .flat_map(|(key, values)| values.iter().flat_map(move |value| [*key, *value]))
        .collect()
}

enum Content {
    Form,
    Json,
}

impl Content {
    /// By the essence of the content type; its parameters (charset) and case don't matter.
    fn of(content_type: Option<&str>, body: &[u8]) -> Result<Self, Rejection> {
        let essence = content_type.map(|t| t.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        match essence.as_deref() {
            Some("application/x-www-form-urlencoded") => Ok(Self::Form),
            Some("application/json") => Ok(Self::Json),
            None if body.is_empty() => Ok(Self::Form),
            _ => Err(Rejection::ContentType),
        }
    }
}

/// A JSON body is not part of the signed text; its hash in the signed URL vouches for it.
fn check_body_hash(form: &Form, body: &[u8]) -> Result<(), Rejection> {
    let hash: String = Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect();
    let given = form.query(BODY_HASH_KEY).ok_or(Rejection::BodyHash)?;
    let same = bool::from(hash.as_bytes().ct_eq(given.as_bytes()));
    same.then_some(()).ok_or(Rejection::BodyHash)
}

/// The one value of a header; one that is no text counts as a text that matches nothing.
fn header<'a, V: AsRef<[u8]>>(headers: &'a [(&str, V)], name: &'static str) -> Result<Option<&'a str>, Rejection> {
    let mut values = headers
        .iter()
        .filter(|(n, _)| n.eq_ignore_ascii_case(name))
        .map(|(_, v)| v);
    let first = values.next();
    if values.next().is_some() {
        return Err(Rejection::Repeated(name));
    }
    Ok(first.map(|value| std::str::from_utf8(value.as_ref()).unwrap_or("\u{fffd}")))
}
