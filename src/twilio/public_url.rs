//! The URL that Twilio signed: the configured public base and the raw request target.
//!
//! Behind a proxy the socket says nothing about what Twilio called, so a configured public URL
//! wins over everything the request claims. Nothing is parsed and written again: a re-encoded or
//! re-sorted query would no longer be what was signed. Ports are toggled by cutting text.

/// Where Twilio finds us: `https://relay.example.com`, perhaps with credentials, port or a path
/// prefix that the proxy strips.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

// It may hold credentials.
impl std::fmt::Debug for PublicUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.without_credentials())
    }
}

/// The text is no base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a public URL is http:// or https://, a host and perhaps a port and a path, without query")]
pub struct BadPublicUrl;

impl PublicUrl {
    /// Reads a base URL. A fragment (Twilio's connection overrides) and a final slash are dropped.
    pub fn parse(text: &str) -> Result<Self, BadPublicUrl> {
        let base = text.trim().split('#').next().unwrap_or_default().trim_end_matches('/');
        let parts = Parts::of(base).ok_or(BadPublicUrl)?;
        let sound = !parts.host.is_empty()
            && !parts.rest.contains('?')
            && base.bytes().all(|b| b.is_ascii_graphic())
            && parts.port.is_none_or(|port| port.parse::<u16>().is_ok());
        sound.then(|| Self(base.to_owned())).ok_or(BadPublicUrl)
    }

    /// The base as configured, without a final slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The base with user and password cut out: what a person may be shown.
    pub fn without_credentials(&self) -> String {
        Parts::of(&self.0).map_or_else(String::new, |p| {
            [p.scheme, "://", p.host, &p.colon_port(), p.rest].concat()
        })
    }

    /// The whole URL of a request target as received (`/path?query`).
    pub fn join(&self, target: &str) -> String {
        [self.0.as_str(), target].concat()
    }
}

/// The texts that may have been signed for a URL: as it is without its port, and with a port
/// (the explicit one, else the scheme's). Twilio has been seen to do either.
pub(super) fn variants(url: &str) -> Vec<String> {
    let Some(parts) = Parts::of(url) else {
        return Vec::new();
    };
    let default_port = if parts.scheme == "http" { "80" } else { "443" };
    let port = parts.port.unwrap_or(default_port);
    vec![
        [parts.scheme, "://", parts.credentials, parts.host, parts.rest].concat(),
        [
            parts.scheme,
            "://",
            parts.credentials,
            parts.host,
            ":",
            port,
            parts.rest,
        ]
        .concat(),
    ]
}

/// A URL cut at its joints; concatenated they are the text again.
struct Parts<'a> {
    scheme: &'a str,
    /// With the `@`, else empty.
    credentials: &'a str,
    /// A name, an address, or an IPv6 literal with its brackets.
    host: &'a str,
    port: Option<&'a str>,
    /// Path and query.
    rest: &'a str,
}

impl<'a> Parts<'a> {
    fn of(url: &'a str) -> Option<Self> {
        let (scheme, after) = url.split_once("://")?;
        if !matches!(scheme, "http" | "https") {
            return None;
        }
        let end = after.find(['/', '?', '#']).unwrap_or(after.len());
        let (authority, rest) = after.split_at_checked(end)?;
        let at = authority.rfind('@').map_or(0, |at| at + 1);
        let (credentials, host_port) = authority.split_at_checked(at)?;
        // The colons of an IPv6 literal are not the port's.
        let literal = host_port.rfind(']').map_or(0, |end| end + 1);
        let colon = host_port
            .split_at_checked(literal)
            .and_then(|(_, tail)| tail.rfind(':'))
            .map(|at| at + literal);
        let (host, port) = match colon.and_then(|colon| host_port.split_at_checked(colon)) {
            Some((host, port)) => (host, port.strip_prefix(':')),
            None => (host_port, None),
        };
        Some(Self {
            scheme,
            credentials,
            host,
            port,
            rest,
        })
    }

    fn colon_port(&self) -> String {
        self.port.map(|port| format!(":{port}")).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_a_variant_without_and_one_with_port() {
        for (url, without, with) in [
            (
                "https://a.cl/w?q=a+b",
                "https://a.cl/w?q=a+b",
                "https://a.cl:443/w?q=a+b",
            ),
            ("http://a.cl", "http://a.cl", "http://a.cl:80"),
            ("https://a.cl:8443/w?", "https://a.cl/w?", "https://a.cl:8443/w?"),
            ("https://u:p@a.cl:1/w", "https://u:p@a.cl/w", "https://u:p@a.cl:1/w"),
            ("https://[::1]/w", "https://[::1]/w", "https://[::1]:443/w"),
            ("https://[::1]:9/w", "https://[::1]/w", "https://[::1]:9/w"),
            (
                "https://a.cl?q=x:y@z",
                "https://a.cl?q=x:y@z",
                "https://a.cl:443?q=x:y@z",
            ),
        ] {
            assert_eq!(variants(url), [without, with], "{url}");
        }
    }

    #[test]
    fn a_base_drops_fragment_and_slash_and_hides_credentials() {
        let base = PublicUrl::parse(" https://ops:s3cret@relay.cl:8443/pre/#rc=2&rp=all").unwrap();
        assert_eq!(base.join("/w?a=1"), "https://ops:s3cret@relay.cl:8443/pre/w?a=1");
        assert_eq!(format!("{base:?}"), "https://relay.cl:8443/pre");
    }

    #[test]
    fn what_is_no_base_is_refused() {
        for text in [
            "",
            "relay.cl",
            "ftp://relay.cl",
            "https://",
            "https://a.cl?x=1",
            "https://a.cl:99999",
            "https://a b",
        ] {
            assert!(PublicUrl::parse(text).is_err(), "{text}");
        }
    }
}
