//! Loopback is not a permission: what may be used without a key, and when.
//!
//! Behind Caddy or a tunnel every peer is 127.0.0.1, so the peer's address alone proves
//! nothing. The keyless doors (admin, chat, simulator) open only while nobody outside can be
//! at the other end: the service listens on loopback, no public URL is set, the browser asked
//! for a loopback host (a rebound DNS name does not), no proxy has added its header, and the
//! page that asks is our own (a foreign site can make a browser post to 127.0.0.1).

use std::net::{IpAddr, SocketAddr};

use actix_web::HttpRequest;
use actix_web::http::Uri;
use actix_web::http::header::{HOST, HeaderMap, ORIGIN};

/// Headers that only a proxy or a tunnel adds; besides these every `X-Forwarded-…` and `CF-…`.
const FORWARDING: [&str; 10] = [
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-original-host",
    "x-original-forwarded-for",
    "true-client-ip",
    "fastly-client-ip",
    "tailscale-user-login",
];

/// The rule for one running service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loopback {
    private: bool,
}

impl Loopback {
    /// The rule of a service that listens on `bind` and is known outside as `public_url`, if at all.
    pub fn new(bind: SocketAddr, public_url: Option<&str>) -> Self {
        Self {
            private: bind.ip().to_canonical().is_loopback() && public_url.is_none_or(|url| url.trim().is_empty()),
        }
    }

    /// Can any request pass? When not, the keyless doors need no route at all.
    pub fn is_private(self) -> bool {
        self.private
    }

    /// Does this request come from a person at this machine?
    pub fn admits(self, request: &HttpRequest) -> bool {
        let headers = request.headers();
        self.private
            && request
                .peer_addr()
                .is_none_or(|peer| peer.ip().to_canonical().is_loopback())
            && host_is_loopback(request)
            && !is_forwarded(headers)
            && is_same_origin(headers)
    }
}

/// Every name the client gave for us is a loopback one, and it gave at least one.
fn host_is_loopback(request: &HttpRequest) -> bool {
    let given = request.headers().get_all(HOST).map(|host| host.to_str().ok());
    let target = request.uri().authority().map(|authority| Some(authority.as_str()));
    let mut names = given.chain(target).peekable();
    names.peek().is_some() && names.all(|name| name.is_some_and(authority_is_loopback))
}

fn authority_is_loopback(authority: &str) -> bool {
    let Ok(uri) = Uri::builder()
        .scheme("http")
        .authority(authority)
        .path_and_query("/")
        .build()
    else {
        return false;
    };
    let host = uri.host().unwrap_or_default();
    let address = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}

fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| {
        let name = name.as_str();
        FORWARDING.contains(&name) || name.starts_with("x-forwarded") || name.starts_with("cf-")
    })
}

/// A request without `Origin` is no post of a browser's page; with one, the page must be ours, to the
/// port: whatever else runs at this machine is not us.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let own_origin = headers.get_all(ORIGIN).all(|origin| {
        let authority = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
        authority.is_some_and(|(_, origin)| host.is_some_and(|host| host.eq_ignore_ascii_case(origin)))
    });
    let own_page = headers
        .get_all("sec-fetch-site")
        .all(|site| site == "same-origin" || site == "none");
    own_origin && own_page
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn rule() -> Loopback {
        Loopback::new("127.0.0.1:8080".parse().unwrap(), None)
    }

    fn asks(headers: &[(&'static str, &'static str)]) -> bool {
        let request = headers
            .iter()
            .fold(TestRequest::default(), |request, header| request.append_header(*header));
        rule().admits(&request.peer_addr("127.0.0.1:50000".parse().unwrap()).to_http_request())
    }

    #[test]
    fn a_person_at_the_machine_is_admitted() {
        for host in [
            "127.0.0.1:8080",
            "localhost:8080",
            "LOCALHOST",
            "[::1]:8080",
            "127.0.0.5",
        ] {
            assert!(asks(&[("host", host)]), "{host}");
        }
        assert!(asks(&[
            ("host", "localhost:8080"),
            ("origin", "http://localhost:8080"),
            ("sec-fetch-site", "same-origin")
        ]));
    }

    #[test]
    fn nobody_else_is() {
        for headers in [
            &[][..],
            &[("host", "relay.example.com")],
            &[("host", "127.0.0.1.example.com")],
            &[("host", "user@127.0.0.1@evil.example")],
            &[("host", "10.0.0.1:8080")],
            &[("host", "127.0.0.1"), ("host", "evil.example")],
            &[("host", "127.0.0.1"), ("x-forwarded-for", "127.0.0.1")],
            &[("host", "127.0.0.1"), ("forwarded", "for=127.0.0.1")],
            &[("host", "127.0.0.1"), ("via", "1.1 Caddy")],
            &[("host", "127.0.0.1"), ("cf-connecting-ip", "1.2.3.4")],
            &[("host", "127.0.0.1"), ("origin", "https://evil.example")],
            &[("host", "127.0.0.1"), ("origin", "null")],
            &[("host", "127.0.0.1"), ("sec-fetch-site", "cross-site")],
            &[("host", "127.0.0.1"), ("sec-fetch-site", "same-site")],
            &[("host", "127.0.0.1:8080"), ("origin", "http://127.0.0.1:3000")],
            &[("host", "127.0.0.1:8080"), ("origin", "http://localhost:8080")],
            &[
                ("host", "localhost"),
                ("origin", "http://localhost"),
                ("origin", "https://evil.example"),
            ],
        ] {
            assert!(!asks(headers), "{headers:?}");
        }
    }

    #[test]
    fn a_service_that_is_open_to_others_admits_nobody_without_a_key() {
        let local = TestRequest::default()
            .insert_header(("host", "127.0.0.1"))
            .to_http_request();
        for (bind, public_url) in [
            ("0.0.0.0:8080", None),
            ("[::]:8080", None),
            ("192.168.1.4:8080", None),
            ("127.0.0.1:8080", Some("https://relay.example.com")),
        ] {
            assert!(
                !Loopback::new(bind.parse().unwrap(), public_url).admits(&local),
                "{bind} {public_url:?}"
            );
        }
        assert!(Loopback::new("[::1]:8080".parse().unwrap(), Some("")).admits(&local));
        let far = TestRequest::default()
            .insert_header(("host", "127.0.0.1"))
            .peer_addr("10.1.1.1:1".parse().unwrap());
        assert!(!rule().admits(&far.to_http_request()));
    }
}
