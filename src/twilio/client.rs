//! The REST client: the few calls that the relay makes, each with a deadline, behind one breaker.
//!
//! Credentials go to the configured API bases only. An API key is preferred; without one the
//! account's Auth Token signs in. Errors carry what may be concluded from them: a send whose
//! outcome is unknown must be looked up before it is repeated, since Twilio has no idempotency key.

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::error::TwilioError;
use super::listed::{Listed, Page};
use crate::config;
use crate::domain::message::{MediaRef, MessageSid};
use crate::net::{Body, Breaker, Http, Method, Request, Response};
use crate::telemetry::Metrics;

/// Bytes of a JSON answer; a page of 1,000 messages has about 1.5 MB.
const ANSWER_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Calls under way at once; beyond it a call waits its turn.
const CALLS_MAX: usize = 16;
/// Pages read when a sent message is looked for.
const FIND_PAGES_MAX: usize = 4;
/// Twilio's clock and ours may differ by so much.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(120);
/// The version in every path.
const VERSION: &str = "2010-04-01";

/// A message to send.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// The recipient's address.
    pub to: &'a str,
    /// Our sender's address.
    pub from: &'a str,
    /// The text.
    pub body: &'a str,
    /// An approved template that is sent in the place of the text.
    pub content: Option<Content<'a>>,
    /// Where Twilio finds a file that goes with it.
    pub media_url: Option<&'a str>,
    /// Where Twilio reports to; None where it can't reach us.
    pub status_callback: Option<&'a str>,
}

/// An approved template, as Twilio takes it.
#[derive(Debug, Clone, Copy)]
pub struct Content<'a> {
    /// Its id.
    pub sid: &'a str,
    /// What its variables stand for, as JSON.
    pub variables: &'a str,
}

/// What Twilio says of a message it accepted; accepted is not delivered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Sent {
    /// Its id.
    pub sid: MessageSid,
    /// `queued`, `accepted`, …
    pub status: String,
}

/// The client; clones share connections and breaker.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    http: Http,
    breaker: Breaker,
    /// The typing indicator is another host's, and beta: its faults must not stop the messages.
    typing: Breaker,
    /// Files come from another host too.
    media: Breaker,
    calls: Semaphore,
    account: String,
    user: String,
    secret: SecretString,
    /// Accounts under ours, each with its own token.
    subaccounts: Vec<(String, SecretString)>,
    api: String,
    messaging: String,
    timeout: Duration,
}

impl Client {
    /// The client of the configured account; None without an account.
    pub fn new(settings: &config::Twilio, http: Http, metrics: Option<Arc<Metrics>>) -> Option<Self> {
        if !settings.is_set() {
            return None;
        }
        let key = !settings.api_key_sid.is_empty();
        let (user, secret) = match key {
            true => (&settings.api_key_sid, &settings.api_key_secret),
            false => (&settings.account_sid, &settings.auth_token),
        };
        Some(Self(Arc::new(Inner {
            http,
            breaker: Breaker::new("twilio", metrics.clone()),
            typing: Breaker::new("twilio_typing", metrics.clone()),
            media: Breaker::new("twilio_media", metrics),
            calls: Semaphore::new(CALLS_MAX),
            account: settings.account_sid.clone(),
            user: user.clone(),
            secret: secret.clone(),
            subaccounts: config::Twilio::pairs(&settings.account_tokens),
            api: settings.api_base.trim_end_matches('/').to_owned(),
            messaging: settings.messaging_base.trim_end_matches('/').to_owned(),
            timeout: Duration::from_secs(settings.timeout_secs.max(1)),
        })))
    }

    /// The client of another server that speaks Twilio's media calls: the phone in the browser.
    pub fn local(account: &str, token: SecretString, base: &str, http: Http, timeout: Duration) -> Self {
        Self(Arc::new(Inner {
            http,
            breaker: Breaker::new("simulator", None),
            typing: Breaker::new("simulator", None),
            media: Breaker::new("simulator", None),
            calls: Semaphore::new(CALLS_MAX),
            account: account.to_owned(),
            user: account.to_owned(),
            secret: token,
            subaccounts: Vec::new(),
            api: base.trim_end_matches('/').to_owned(),
            messaging: base.trim_end_matches('/').to_owned(),
            timeout,
        }))
    }

    /// Is the account ours, or one under ours?
    pub fn owns(&self, account: &str) -> bool {
        self.credentials(account).is_some()
    }

    /// How long Twilio is left alone, when it is.
    pub fn open_for(&self) -> Option<Duration> {
        self.0.breaker.open_for()
    }

    /// Sends a message. On an error ask `outcome()` before repeating it.
    pub async fn send(&self, message: Outgoing<'_>) -> Result<Sent, TwilioError> {
        let mut fields = vec![("To", message.to), ("From", message.from)];
        match message.content {
            // A template's text in `Body` counts as free text and is refused.
            Some(content) => fields.extend([("ContentSid", content.sid), ("ContentVariables", content.variables)]),
            None => {
                fields.extend(Some(("Body", message.body)).filter(|(_, body)| !body.is_empty()));
                fields.extend(message.media_url.map(|url| ("MediaUrl", url)));
            }
        }
        fields.extend(message.status_callback.map(|url| ("StatusCallback", url)));
        let form = encoded(fields);
        let url = format!("{}/Messages.json", self.account_url(&self.0.account));
        let answer = self.call(Method::Post, &url, Body::Form(form)).await?;
        json(&answer)
    }

    /// The first page of messages to one of our senders, newest first, from the UTC day of `since` on.
    pub async fn list_inbound(&self, to: &str, since: Timestamp, page_size: u16) -> Result<Page, TwilioError> {
        self.list(&[("To", to)], since, page_size).await
    }

    /// The first page of messages from one of our senders, newest first, from the UTC day of `since` on.
    pub async fn list_outbound(&self, from: &str, since: Timestamp, page_size: u16) -> Result<Page, TwilioError> {
        self.list(&[("From", from)], since, page_size).await
    }

    /// The page that an earlier one named.
    pub async fn next_page(&self, next: &str) -> Result<Page, TwilioError> {
        let path = next.strip_prefix(self.0.api.as_str()).unwrap_or(next);
        let own = format!("/{VERSION}/Accounts/{}/Messages.json?", self.0.account);
        if !path.starts_with(&own) {
            return Err(TwilioError::Answer("the next page is elsewhere"));
        }
        let url = format!("{}{path}", self.0.api);
        page(&self.call(Method::Get, &url, Body::Empty).await?)
    }

    /// Messages of ours with this recipient and this text, created since the attempt began: what
    /// a send with an unknown outcome may have left. Newest first.
    pub async fn find_sent(&self, message: Outgoing<'_>, began: Timestamp) -> Result<Vec<Listed>, TwilioError> {
        let since = began.checked_sub(CLOCK_SKEW).unwrap_or(began);
        let mut page = self
            .list(&[("To", message.to), ("From", message.from)], since, 50)
            .await?;
        let mut found = Vec::new();
        for _ in 1..FIND_PAGES_MAX {
            let older = page
                .messages
                .iter()
                .any(|m| m.date_created.is_some_and(|at| at < since));
            found.append(&mut page.messages);
            match page.next.filter(|_| !older) {
                Some(next) => page = self.next_page(&next).await?,
                None => {
                    page.next = None;
                    break;
                }
            }
        }
        found.append(&mut page.messages);
        found.retain(|m| {
            !m.is_inbound()
                && m.to.as_deref() == Some(message.to)
                // The text of a template is Twilio's, not ours.
                && (message.content.is_some() || m.body.as_deref().map(str::trim) == Some(message.body.trim()))
                && m.date_created.is_none_or(|at| at >= since)
        });
        Ok(found)
    }

    /// One message by its id.
    pub async fn message(&self, sid: &MessageSid) -> Result<Listed, TwilioError> {
        let url = format!("{}/Messages/{sid}.json", self.account_url(&self.0.account));
        json(&self.call(Method::Get, &url, Body::Empty).await?)
    }

    /// The files of a message, as references that `media_bytes` takes.
    pub async fn media_list(&self, sid: &MessageSid) -> Result<Vec<MediaRef>, TwilioError> {
        #[derive(Deserialize)]
        struct Files {
            media_list: Vec<File>,
        }
        #[derive(Deserialize)]
        struct File {
            sid: String,
            content_type: Option<String>,
        }
        let base = format!("{}/Messages/{sid}/Media", self.account_url(&self.0.account));
        let files: Files = json(&self.call(Method::Get, &format!("{base}.json"), Body::Empty).await?)?;
        Ok(files
            .media_list
            .into_iter()
            .map(|file| MediaRef {
                url: format!("{base}/{}", file.sid),
                content_type: file.content_type.unwrap_or_default(),
            })
            .collect())
    }

    /// Shows *typing…* on the phone of who wrote `sid`, until the answer or for 25 s.
    pub async fn typing(&self, sid: &MessageSid) -> Result<(), TwilioError> {
        let form = encoded([("channel", "whatsapp"), ("messageId", sid.as_str())]);
        let url = format!("{}/v2/Indicators/Typing.json", self.0.messaging);
        self.call_behind(&self.0.typing, Method::Post, &url, Body::Form(form))
            .await
            .map(drop)
    }

    /// The account's state (`active`), to check address and credentials.
    pub async fn account_status(&self) -> Result<String, TwilioError> {
        let url = format!("{}.json", self.account_url(&self.0.account));
        let account: Value = json(&self.call(Method::Get, &url, Body::Empty).await?)?;
        let status = account.get("status").and_then(Value::as_str);
        status.map(str::to_owned).ok_or(TwilioError::Answer("no status"))
    }

    async fn list(&self, filter: &[(&str, &str)], since: Timestamp, page_size: u16) -> Result<Page, TwilioError> {
        let day = TimeZone::UTC.to_datetime(since).date().to_string();
        let size = page_size.clamp(1, 1000).to_string();
        // The operator belongs to the key: on that day or later.
        let more = [("DateSent>", day.as_str()), ("PageSize", size.as_str())];
        let query = encoded(filter.iter().copied().chain(more));
        let url = format!("{}/Messages.json?{query}", self.account_url(&self.0.account));
        page(&self.call(Method::Get, &url, Body::Empty).await?)
    }

    pub(super) fn account_url(&self, account: &str) -> String {
        format!("{}/{VERSION}/Accounts/{account}", self.0.api)
    }

    /// Who signs in for an account of ours; None for anybody else's.
    pub(super) fn credentials(&self, account: &str) -> Option<(&str, &SecretString)> {
        let inner = &*self.0;
        if account == inner.account {
            return Some((&inner.user, &inner.secret));
        }
        let own = inner.subaccounts.iter().find(|(sid, _)| sid == account);
        own.map(|(sid, token)| (sid.as_str(), token))
    }

    pub(super) fn http(&self) -> &Http {
        &self.0.http
    }

    pub(super) fn api(&self) -> &str {
        &self.0.api
    }

    pub(super) fn media_breaker(&self) -> &Breaker {
        &self.0.media
    }

    async fn call(&self, method: Method, url: &str, body: Body) -> Result<Response, TwilioError> {
        self.call_behind(&self.0.breaker, method, url, body).await
    }

    async fn call_behind(
        &self,
        breaker: &Breaker,
        method: Method,
        url: &str,
        body: Body,
    ) -> Result<Response, TwilioError> {
        let inner = &*self.0;
        // The semaphore is never closed.
        let _place = inner.calls.acquire().await;
        let permit = breaker.admit()?;
        let request = Request {
            method,
            url,
            basic: Some((&inner.user, &inner.secret)),
            headers: &[("Accept", "application/json")],
            body,
            timeout: inner.timeout,
            answer_max: ANSWER_BYTES_MAX,
        };
        let answer = match inner.http.call(request).await {
            Ok(answer) => answer,
            Err(fault) => {
                permit.failed();
                return Err(fault.into());
            }
        };
        match answer.status {
            500.. => permit.failed(),
            401 => {
                // Whatever we ask, the answer will be the same until somebody mends the credentials.
                permit.succeeded();
                breaker.trip();
            }
            _ => permit.succeeded(),
        }
        match answer.status {
            200..300 => Ok(answer),
            _ => Err(refused(&answer)),
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("api", &self.0.api)
            .finish_non_exhaustive()
    }
}

fn encoded<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

pub(super) fn refused(answer: &Response) -> TwilioError {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let code = match body.get("code") {
        Some(Value::Number(code)) => Some(code.to_string()),
        Some(Value::String(code)) => Some(code.chars().take(40).collect()),
        _ => None,
    };
    TwilioError::Refused {
        status: answer.status,
        code,
        retry_after: answer.retry_after,
    }
}

fn json<T: for<'de> Deserialize<'de>>(answer: &Response) -> Result<T, TwilioError> {
    serde_json::from_slice(&answer.body).map_err(|_| TwilioError::Answer("not the JSON expected"))
}

/// A page of the list. A row that can't be read must not cost the others.
fn page(answer: &Response) -> Result<Page, TwilioError> {
    #[derive(Deserialize)]
    struct Raw {
        messages: Vec<Value>,
        next_page_uri: Option<String>,
    }
    let raw: Raw = json(answer)?;
    let rows = raw.messages.len();
    let messages: Vec<Listed> = raw
        .messages
        .into_iter()
        .filter_map(|row| serde_json::from_value(row).ok())
        .collect();
    Ok(Page {
        unread: rows - messages.len(),
        messages,
        next: raw.next_page_uri.filter(|uri| !uri.is_empty()),
    })
}
