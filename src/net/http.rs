//! The HTTP client: deadlines, bounded answers, no redirects, errors that tell what may be repeated.

use std::sync::Once;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};

/// Time for TCP and TLS together.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Silence allowed within an answer.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an unused connection is kept.
const IDLE: Duration = Duration::from_secs(90);
/// Between two pings of an HTTP/2 connection in use.
const PING: Duration = Duration::from_secs(20);
/// Unused connections kept for one host.
const IDLE_PER_HOST: usize = 8;

/// The client could not be made (no usable CA certificates, for one).
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client could not be made")]
pub struct StartError(#[source] reqwest::Error);

/// A request that got no whole answer.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It never left: a bad URL, a refused connection, a failed TLS handshake.
    #[error("could not connect")]
    Unsent(#[source] Option<reqwest::Error>),
    /// It may have arrived: the deadline passed or the connection broke.
    #[error("{}", if *timeout { "no answer in time" } else { "the connection broke" })]
    Unknown {
        /// By time, not by a broken connection.
        timeout: bool,
        /// What the client said.
        #[source]
        source: Option<reqwest::Error>,
    },
    /// The answer is larger than the caller takes.
    #[error("the answer is larger than {max} bytes")]
    TooLarge {
        /// The limit.
        max: u64,
    },
}

impl Fault {
    /// Can the other side have acted on the request?
    pub fn surely_unsent(&self) -> bool {
        matches!(self, Self::Unsent(_))
    }
}

/// The verbs in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// GET
    Get,
    /// POST
    Post,
    /// PUT
    Put,
    /// PATCH
    Patch,
    /// DELETE
    Delete,
}

impl Method {
    /// The verb of that name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        let all = [
            ("GET", Self::Get),
            ("POST", Self::Post),
            ("PUT", Self::Put),
            ("PATCH", Self::Patch),
            ("DELETE", Self::Delete),
        ];
        all.into_iter()
            .find(|(word, _)| word.eq_ignore_ascii_case(name))
            .map(|(_, method)| method)
    }
}

/// What a request carries.
#[derive(Debug, Clone)]
pub enum Body {
    /// Nothing.
    Empty,
    /// `a=1&b=2`, ready encoded.
    Form(String),
    /// A JSON value.
    Json(serde_json::Value),
}

/// One request.
pub struct Request<'a> {
    /// The verb.
    pub method: Method,
    /// The whole URL.
    pub url: &'a str,
    /// HTTP Basic.
    pub basic: Option<(&'a str, &'a SecretString)>,
    /// Further headers.
    pub headers: &'a [(&'a str, &'a str)],
    /// What it carries.
    pub body: Body,
    /// From the first byte out to the last byte in.
    pub timeout: Duration,
    /// Bytes of the answer.
    pub answer_max: u64,
}

/// An answer, whole.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `Location`.
    pub location: Option<String>,
    /// `Retry-After`, where it is a number of seconds.
    pub retry_after: Option<Duration>,
    /// `Link`, every one of them joined by commas: where the next page is.
    pub link: Option<String>,
    /// `X-Total-Count`: how many rows there are on all pages.
    pub total_count: Option<u64>,
    /// The body's bytes.
    pub body: Vec<u8>,
}

/// The place that a URL names, for rules on where a request may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The URL, normalised.
    pub url: String,
    /// `https`, `http`, …
    pub scheme: String,
    /// In lower case, an IPv6 literal without brackets.
    pub host: String,
    /// Only where it is not the scheme's own.
    pub port: Option<u16>,
    /// Whether user or password are in it.
    pub has_credentials: bool,
}

impl Place {
    /// The place of `url`, which may be relative to `base`.
    pub fn resolve(base: &str, url: &str) -> Option<Self> {
        let url = reqwest::Url::parse(base).ok()?.join(url).ok()?;
        Some(Self {
            scheme: url.scheme().to_owned(),
            host: host(&url).to_owned(),
            port: url.port(),
            has_credentials: !url.username().is_empty() || url.password().is_some(),
            url: url.into(),
        })
    }

    /// Is it this machine?
    pub fn is_loopback(&self) -> bool {
        loopback(&self.host)
    }
}

/// The client; clones share its connections.
#[derive(Clone)]
pub struct Http {
    outside: reqwest::Client,
    /// For loopback: a proxy for the outside world can't reach this machine's own ports.
    loopback: reqwest::Client,
}

impl Http {
    /// Makes the client. Proxies and further CAs come from the usual variables.
    pub fn new() -> Result<Self, StartError> {
        install_crypto();
        let build = |direct: bool| {
            let builder = reqwest::Client::builder()
                .user_agent(concat!("relevo/", env!("CARGO_PKG_VERSION")))
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(CONNECT_TIMEOUT)
                .read_timeout(READ_TIMEOUT)
                .pool_idle_timeout(IDLE)
                .pool_max_idle_per_host(IDLE_PER_HOST)
                // HTTP/2 where TLS agrees on it; a ping finds out about a connection that died in silence.
                .http2_adaptive_window(true)
                .http2_keep_alive_interval(PING)
                .tcp_nodelay(true);
            let builder = if direct { builder.no_proxy() } else { builder };
            builder.build().map_err(StartError)
        };
        Ok(Self {
            outside: build(false)?,
            loopback: build(true)?,
        })
    }

    /// Makes one request and reads its answer to the end.
    pub async fn call(&self, request: Request<'_>) -> Result<Response, Fault> {
        let url = reqwest::Url::parse(request.url).map_err(|_| Fault::Unsent(None))?;
        let client = if loopback(host(&url)) {
            &self.loopback
        } else {
            &self.outside
        };
        let mut out = match request.method {
            Method::Get => client.get(url),
            Method::Post => client.post(url),
            Method::Put => client.put(url),
            Method::Patch => client.patch(url),
            Method::Delete => client.delete(url),
        }
        .timeout(request.timeout);
        if let Some((user, secret)) = request.basic {
            out = out.basic_auth(user, Some(secret.expose_secret()));
        }
        for (name, value) in request.headers {
            out = out.header(*name, *value);
        }
        out = match request.body {
            Body::Empty => out,
            Body::Form(form) => out
                .header("Content-Type", "application/x-www-form-urlencoded")
                .body(form),
            Body::Json(value) => out.json(&value),
        };
        // A read time-out restarts with each byte; the deadline of the whole does not.
        match tokio::time::timeout(request.timeout, whole(out, request.answer_max)).await {
            Ok(answer) => answer,
            Err(_) => Err(Fault::Unknown {
                timeout: true,
                source: None,
            }),
        }
    }
}

async fn whole(request: reqwest::RequestBuilder, max: u64) -> Result<Response, Fault> {
    let mut response = request.send().await.map_err(fault)?;
    if response.content_length().is_some_and(|length| length > max) {
        return Err(Fault::TooLarge { max });
    }
    let header = |name| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
    let mut answer = Response {
        status: response.status().as_u16(),
        content_type: header("content-type"),
        location: header("location"),
        retry_after: header("retry-after")
            .and_then(|text| text.trim().parse().ok())
            .map(Duration::from_secs),
        link: links(response.headers()),
        total_count: header("x-total-count").and_then(|text| text.trim().parse().ok()),
        body: Vec::new(),
    };
    while let Some(chunk) = response.chunk().await.map_err(fault)? {
        if answer.body.len().saturating_add(chunk.len()) as u64 > max {
            return Err(Fault::TooLarge { max });
        }
        answer.body.extend_from_slice(&chunk);
    }
    Ok(answer)
}

fn links(headers: &reqwest::header::HeaderMap) -> Option<String> {
    let all: Vec<&str> = headers.get_all("link").iter().filter_map(|v| v.to_str().ok()).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn fault(error: reqwest::Error) -> Fault {
    // The URL may hold an address or a signed link, and errors end in logs.
    let error = error.without_url();
    if error.is_connect() || error.is_builder() {
        Fault::Unsent(Some(error))
    } else {
        Fault::Unknown {
            timeout: error.is_timeout(),
            source: Some(error),
        }
    }
}

fn host(url: &reqwest::Url) -> &str {
    url.host_str().unwrap_or_default().trim_matches(['[', ']'])
}

fn loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// rustls is built without a default provider; ring is the one, for the whole process. `Http::new`
/// calls it; who makes a client of another kind calls it first.
pub fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error means that another part has installed one already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// A server that reads one request and then writes these bytes, or hangs for None.
    async fn server(answer: Option<&'static [u8]>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/x", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut seen = [0; 2048];
            let _ = socket.read(&mut seen).await;
            match answer {
                Some(bytes) => socket.write_all(bytes).await.unwrap(),
                None => std::future::pending().await,
            }
        });
        url
    }

    async fn get(url: &str) -> Result<Response, Fault> {
        let request = Request {
            method: Method::Get,
            url,
            basic: None,
            headers: &[],
            body: Body::Empty,
            timeout: Duration::from_millis(300),
            answer_max: 10,
        };
        Http::new().unwrap().call(request).await
    }

    #[test]
    fn a_place_is_read_whole_or_relative() {
        let place = Place::resolve("https://api.twilio.com/a/b", "//ops@MMS.twiliocdn.com:8443/x?y=1").unwrap();
        assert_eq!(
            (place.scheme.as_str(), place.host.as_str()),
            ("https", "mms.twiliocdn.com")
        );
        assert_eq!((place.port, place.has_credentials), (Some(8443), true));
        assert_eq!(Place::resolve("https://a.cl/x", "/y").unwrap().url, "https://a.cl/y");
        assert!(Place::resolve("http://[::1]:9", "").unwrap().is_loopback());
        assert!(
            !Place::resolve("http://127.0.0.1.evil.example", "")
                .unwrap()
                .is_loopback()
        );
    }

    #[tokio::test]
    async fn an_answer_comes_whole_and_a_redirect_is_not_followed() {
        let url = server(Some(
            b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/y\r\nRetry-After: 7\r\nX-Total-Count: 12\r\nLink: </b>; rel=next\r\nContent-Length: 2\r\n\r\nok",
        ))
        .await;
        let answer = get(&url).await.unwrap();
        assert_eq!((answer.status, answer.body.as_slice()), (302, b"ok".as_slice()));
        assert_eq!(answer.location.as_deref(), Some("http://127.0.0.1:1/y"));
        assert_eq!(answer.retry_after, Some(Duration::from_secs(7)));
        assert_eq!(
            (answer.total_count, answer.link.as_deref()),
            (Some(12), Some("</b>; rel=next"))
        );
    }

    #[tokio::test]
    async fn what_never_left_is_told_from_what_may_have_arrived() {
        assert!(get("http://127.0.0.1:1/x").await.unwrap_err().surely_unsent());
        assert!(get("no url").await.unwrap_err().surely_unsent());
        let hung = get(&server(None).await).await.unwrap_err();
        assert!(matches!(hung, Fault::Unknown { timeout: true, .. }));
        let reset = get(&server(Some(b"")).await).await.unwrap_err();
        assert!(matches!(reset, Fault::Unknown { timeout: false, .. }), "{reset:?}");
    }

    #[tokio::test]
    async fn an_answer_beyond_its_limit_is_refused_announced_or_not() {
        let announced = server(Some(b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n")).await;
        let chunked = server(Some(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n",
        ))
        .await;
        for url in [announced, chunked] {
            assert!(matches!(get(&url).await.unwrap_err(), Fault::TooLarge { max: 10 }));
        }
    }
}
