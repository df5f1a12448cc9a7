//! A system outside that speaks REST, as its section of the settings describes it.
//!
//! Every request passes the breaker and the bulkhead, has a deadline and a bound on its answer, and is repeated
//! with backoff where that is safe. An answer is believed only when it is JSON and reports no error: a page of
//! HTML with status 200 is a sleeping instance or a login form, not an empty list.

mod fill;
mod instant;
mod list;
mod mapping;
mod place;
mod write;

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

pub(in crate::systems) use list::{Fetched, Lists};
pub(in crate::systems) use mapping::KEY;
pub(in crate::systems) use write::{Task as WriteTask, Writes};

use super::board::{Board, Circuit};
use crate::config::systems::{AuthKind, Outside};
use crate::net::{Backoff, Body, Breaker, Bulkhead, Fault, Http, Method, Place, Request, Response};
use crate::telemetry::{Breaker as State, Metrics};

/// The longest pause between two tries.
const PAUSE_MAX: Duration = Duration::from_secs(20);
/// How long a request waits for its place.
const PLACE_WAIT: Duration = Duration::from_secs(30);

/// Why a system's answer can't be used. Holds nothing of what it said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::systems) enum RestFault {
    /// It is left alone for now.
    #[error("it failed repeatedly and is left alone")]
    Open,
    /// Too many requests wait for it.
    #[error("too many requests wait for it")]
    Busy,
    /// It surely got nothing.
    #[error("could not connect")]
    Unsent,
    /// It may have got the request.
    #[error("{}", if *timeout { "no answer in time" } else { "the connection broke" })]
    Unknown {
        /// By time.
        timeout: bool,
    },
    /// The key is not accepted.
    #[error("the key is not accepted ({0})")]
    Credentials(String),
    /// It said no.
    #[error("it answered with status {0}")]
    Status(u16),
    /// What came is not JSON.
    #[error("the answer is no JSON: a login form or a sleeping instance, perhaps")]
    NotJson,
    /// It reports an error with status 200.
    #[error("it reports an error{0}")]
    Reported(String),
    /// The answer can't be what was asked for.
    #[error("{0}")]
    Unbelievable(String),
    /// More came than is taken.
    #[error("more than {0}")]
    TooMuch(String),
}

/// One request to a system.
pub(super) struct Call<'a> {
    pub(super) method: Method,
    /// The whole URL.
    pub(super) url: &'a str,
    pub(super) body: Option<Value>,
    /// Is it the same once or twice?
    pub(super) repeatable: bool,
    /// Statuses that mean yes; empty: every 2xx.
    pub(super) yes: &'a [u16],
}

/// A system outside; clones share its breaker and its places.
#[derive(Clone)]
pub(in crate::systems) struct Rest(Arc<Inner>);

struct Inner {
    name: String,
    spec: Outside,
    base: Place,
    tz: TimeZone,
    http: Http,
    breaker: Breaker,
    bulkhead: Bulkhead,
    backoff: Backoff,
    board: Board,
}

impl std::fmt::Debug for Rest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Rest").field(&self.0.name).finish()
    }
}

/// What a system needs besides its own settings.
#[derive(Clone)]
pub(in crate::systems) struct Around {
    pub(in crate::systems) http: Http,
    pub(in crate::systems) board: Board,
    pub(in crate::systems) tz: TimeZone,
    pub(in crate::systems) metrics: Option<Arc<Metrics>>,
}

impl Rest {
    /// The system of that name; None when its base is no URL, which the check of the settings has refused before.
    pub(in crate::systems) fn new(name: &str, spec: &Outside, around: Around) -> Option<Self> {
        let tz = match spec.time_zone.as_str() {
            "" => around.tz,
            named => TimeZone::get(named).ok()?,
        };
        // Systems are few and live as long as the process: their names may as well.
        let service: &'static str = String::leak(name.to_owned());
        let open_for = Duration::from_secs(spec.breaker_secs);
        let breaker = Breaker::opening_for(open_for, service, around.metrics);
        Some(Self(Arc::new(Inner {
            name: name.to_owned(),
            base: Place::resolve(&spec.base_url, "")?,
            tz,
            http: around.http,
            breaker,
            bulkhead: Bulkhead::new(spec.requests_max, PLACE_WAIT),
            backoff: Backoff {
                tries: spec.tries_max,
                base: Duration::from_millis(spec.retry_ms),
                max: PAUSE_MAX,
            },
            board: around.board,
            spec: spec.clone(),
        })))
    }

    pub(in crate::systems) fn name(&self) -> &str {
        &self.0.name
    }

    pub(in crate::systems) fn spec(&self) -> &Outside {
        &self.0.spec
    }

    pub(super) fn tz(&self) -> &TimeZone {
        &self.0.tz
    }

    /// How long it is left alone, if it is.
    pub(in crate::systems) fn left_alone(&self) -> Option<Duration> {
        self.0.breaker.open_for()
    }

    /// The URL of a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.0.spec.base_url)
    }

    /// A link that the system gave, when it stays where the key may go.
    pub(super) fn same_origin(&self, from: &str, link: &str) -> Option<String> {
        let place = Place::resolve(from, link)?;
        let base = &self.0.base;
        let same = place.scheme == base.scheme && place.host == base.host && place.port == base.port;
        (same && !place.has_credentials).then_some(place.url)
    }

    /// Asks the question that only a valid key answers; without one every key passes.
    pub(in crate::systems) async fn probe(&self) -> Result<(), RestFault> {
        let Some(probe) = &self.0.spec.probe else { return Ok(()) };
        let url = self.url(&probe.path);
        let call = Call {
            method: Method::named(&probe.method).unwrap_or(Method::Get),
            url: &url,
            body: serde_json::from_str(&probe.body).ok(),
            repeatable: true,
            yes: &[],
        };
        let (_, answer) = self.ask(call).await?;
        let refused = || {
            // It answers, but not to us: asking again and again would not help.
            self.0.breaker.trip();
            self.show_circuit();
            RestFault::Credentials("the probe is not answered as a valid key's would be".to_owned())
        };
        if probe.at.is_empty() {
            return Ok(());
        }
        let Some(found) = place::at(&answer, &probe.at) else {
            return Err(refused());
        };
        match probe.is.is_empty() || place::text(found).as_deref() == Some(probe.is.as_str()) {
            true => Ok(()),
            false => Err(refused()),
        }
    }

    /// One question, repeated where that is safe; its answer as JSON (null for none).
    pub(super) async fn ask(&self, call: Call<'_>) -> Result<(Response, Value), RestFault> {
        let (mut failed, mut maybe_sent) = (0, false);
        loop {
            let (fault, asked) = match self.once(&call).await {
                Ok(answer) => return Ok(answer),
                Err(told) => told,
            };
            failed += 1;
            maybe_sent |= !matches!(fault, RestFault::Unsent | RestFault::Busy | RestFault::Open);
            let passing = match fault {
                RestFault::Unsent | RestFault::Busy => true,
                RestFault::Unknown { .. } | RestFault::NotJson => call.repeatable,
                RestFault::Status(status) => call.repeatable && (status == 429 || status >= 500),
                _ => false,
            };
            match self.0.backoff.pause(failed, asked).filter(|_| passing) {
                Some(pause) => tokio::time::sleep(pause).await,
                // An earlier try may have arrived, whatever became of the last.
                None if maybe_sent && matches!(fault, RestFault::Unsent | RestFault::Busy | RestFault::Open) => {
                    return Err(RestFault::Unknown { timeout: false });
                }
                None => return Err(fault),
            }
        }
    }

    async fn once(&self, call: &Call<'_>) -> Result<(Response, Value), (RestFault, Option<Duration>)> {
        let seat = self.0.bulkhead.enter().await.map_err(|_| (RestFault::Busy, None))?;
        let permit = self.0.breaker.admit().map_err(|_| (RestFault::Open, None))?;
        let (at, started) = (Timestamp::now(), Instant::now());
        let answer = self.send(call).await;
        drop(seat);
        let asked = answer.as_ref().ok().and_then(|response| response.retry_after);
        let told = answer.and_then(|response| self.believed(call, response));
        match &told {
            Ok(_) => permit.succeeded(),
            Err(RestFault::Credentials(_)) => {
                permit.failed();
                self.0.breaker.trip();
            }
            // It works and says no.
            Err(RestFault::Status(status)) if *status < 500 && *status != 429 => permit.succeeded(),
            Err(RestFault::TooMuch(_)) => permit.succeeded(),
            Err(_) => permit.failed(),
        }
        let words = told.as_ref().map(|_| ()).map_err(ToString::to_string);
        let outcome = words.as_ref().copied().map_err(String::as_str);
        self.0.board.called(&self.0.name, at, started.elapsed(), outcome);
        self.show_circuit();
        told.map_err(|fault| (fault, asked))
    }

    fn show_circuit(&self) {
        let circuit = match self.0.breaker.state() {
            State::Closed => Circuit::Closed,
            State::Open => Circuit::Open,
            State::HalfOpen => Circuit::HalfOpen,
        };
        self.0.board.circuit(&self.0.name, circuit);
    }

    async fn send(&self, call: &Call<'_>) -> Result<Response, RestFault> {
        let (spec, auth) = (&self.0.spec, &self.0.spec.auth);
        let secret: &SecretString = &auth.secret;
        let header = match auth.kind {
            AuthKind::Bearer => Some(("Authorization", format!("Bearer {}", secret.expose_secret()))),
            AuthKind::Header => Some((
                auth.header.as_str(),
                format!("{}{}", auth.prefix, secret.expose_secret()),
            )),
            AuthKind::None | AuthKind::Basic => None,
        };
        let mut headers = vec![("Accept", "application/json")];
        headers.extend(header.as_ref().map(|(name, value)| (*name, value.as_str())));
        let request = Request {
            method: call.method,
            url: call.url,
            basic: (auth.kind == AuthKind::Basic).then_some((auth.user.as_str(), secret)),
            headers: &headers,
            body: call.body.clone().map_or(Body::Empty, Body::Json),
            timeout: Duration::from_secs(spec.timeout_secs),
            answer_max: spec.answer_bytes_max,
        };
        self.0.http.call(request).await.map_err(|fault| match fault {
            Fault::Unsent(_) => RestFault::Unsent,
            Fault::Unknown { timeout, .. } => RestFault::Unknown { timeout },
            Fault::TooLarge { max } => RestFault::TooMuch(format!("{max} bytes in one answer")),
        })
    }

    /// The answer, when it is one.
    fn believed(&self, call: &Call<'_>, response: Response) -> Result<(Response, Value), RestFault> {
        let status = response.status;
        let yes = match call.yes {
            [] => (200..300).contains(&status),
            some => some.contains(&status),
        };
        if !yes {
            return Err(match status {
                401 | 403 => RestFault::Credentials(format!("status {status}")),
                status => RestFault::Status(status),
            });
        }
        if response.body.iter().all(u8::is_ascii_whitespace) {
            return match call.method {
                Method::Get => Err(RestFault::NotJson),
                _ => Ok((response, Value::Null)),
            };
        }
        let value: Value = serde_json::from_slice(&response.body).map_err(|_| RestFault::NotJson)?;
        let at = &self.0.spec.error_at;
        if !at.is_empty()
            && value.is_object()
            && let Some(error) = place::at(&value, at)
        {
            // Its words may quote what was sent; its code does not.
            let code = error.get("code").and_then(place::text).unwrap_or_default();
            let code: String = code.chars().take(40).collect();
            let spaced = if code.is_empty() { code } else { format!(" ({code})") };
            return Err(RestFault::Reported(spaced));
        }
        Ok((response, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest() -> Rest {
        let spec = serde_json::from_value(serde_json::json!({ "base_url": "https://a.example.com/api" })).unwrap();
        let around = Around {
            http: Http::new().unwrap(),
            board: Board::default(),
            tz: TimeZone::UTC,
            metrics: None,
        };
        Rest::new("a", &spec, around).unwrap()
    }

    #[test]
    fn a_link_is_followed_only_where_the_key_may_go() {
        let from = "https://a.example.com/api/x?page=1";
        let follows = |link: &str| rest().same_origin(from, link);
        assert_eq!(
            follows("?page=2").as_deref(),
            Some("https://a.example.com/api/x?page=2")
        );
        assert!(follows("https://a.example.com/other").is_some());
        for astray in [
            "http://a.example.com/api/x",
            "https://b.example.com/api/x",
            "https://a.example.com:8443/x",
            "https://me:secret@a.example.com/x",
            "//evil.example/x",
        ] {
            assert_eq!(follows(astray), None, "{astray}");
        }
    }

    #[test]
    fn an_answer_is_believed_only_when_it_is_json_without_an_error() {
        let believed = |status: u16, body: &str| {
            let response = Response {
                status,
                content_type: None,
                location: None,
                retry_after: None,
                link: None,
                total_count: None,
                body: body.as_bytes().to_vec(),
            };
            let call = Call {
                method: Method::Get,
                url: "",
                body: None,
                repeatable: true,
                yes: &[],
            };
            rest().believed(&call, response).map(|(_, value)| value)
        };
        assert!(believed(200, "[]").is_ok());
        assert_eq!(believed(200, "<html></html>"), Err(RestFault::NotJson));
        assert_eq!(believed(200, ""), Err(RestFault::NotJson));
        assert_eq!(believed(301, "{}"), Err(RestFault::Status(301)));
        let reported = believed(
            200,
            r#"{"error": {"code": -32602, "message": "Ana is not authorized"}}"#,
        )
        .unwrap_err();
        assert_eq!(reported.to_string(), "it reports an error (-32602)");
        assert!(matches!(believed(403, "{}"), Err(RestFault::Credentials(_))));
    }
}
