//! The bytes of a file that came with a message.
//!
//! A media URL arrives in a webhook's body, so it is not trusted: credentials go out only to the
//! configured API host, for an account of ours and the very message. The redirect that follows is
//! taken by hand, without credentials, and only to Twilio's own hosts. A fresh file may be
//! unknown for some seconds: 404 is asked again after 1 s and 3 s.

use std::time::Duration;

use tokio::time::Instant;

use super::client::{Client, refused};
use super::error::TwilioError;
use crate::domain::message::MessageSid;
use crate::net::{Body, Fault, Method, Place, Request, Response};

/// Pauses before a file is asked for again.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];
/// Redirects followed.
const HOPS_MAX: usize = 3;
/// Hosts that redirects may lead to, with everything under them.
const HOSTS: [&str; 2] = ["twilio.com", "twiliocdn.com"];

/// A file.
#[derive(Debug, Clone)]
pub struct Download {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What the server calls it; only a hint.
    pub content_type: Option<String>,
}

/// Why a file was not fetched.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The URL is not that of a file of this message in an account of ours.
    #[error("the URL is not that of a file of this message")]
    NotOurs,
    /// A redirect led where no file of Twilio's is.
    #[error("the redirect leads outside Twilio")]
    Astray,
    /// It isn't there, not even after a while.
    #[error("the file is not there")]
    Absent,
    /// It is larger than we take.
    #[error("the file is larger than {max} bytes")]
    TooLarge {
        /// The limit.
        max: u64,
    },
    /// It took too long.
    #[error("the file did not come in time")]
    TooSlow,
    /// Twilio failed.
    #[error("the file could not be fetched")]
    Failed(#[source] TwilioError),
}

impl MediaError {
    /// May a later try succeed?
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Absent | Self::TooSlow | Self::Failed(_))
    }
}

impl Client {
    /// Fetches a file of `message`, which `account` received: at most `max` bytes within `time`.
    pub async fn media_bytes(
        &self,
        url: &str,
        account: &str,
        message: &MessageSid,
        max: u64,
        time: Duration,
    ) -> Result<Download, MediaError> {
        if !self.is_file_of(url, account, message) {
            return Err(MediaError::NotOurs);
        }
        let permit = self
            .media_breaker()
            .admit()
            .map_err(|open| MediaError::Failed(open.into()))?;
        let result = self.media_patiently(url, account, max, time).await;
        match &result {
            Err(MediaError::TooSlow | MediaError::Failed(_)) => permit.failed(),
            Ok(_) | Err(_) => permit.succeeded(),
        }
        result
    }

    async fn media_patiently(
        &self,
        url: &str,
        account: &str,
        max: u64,
        time: Duration,
    ) -> Result<Download, MediaError> {
        let deadline = Instant::now() + time;
        let mut pauses = PAUSES.iter();
        loop {
            let error = match self.media_once(url, account, max, deadline).await {
                Ok(file) => return Ok(file),
                Err(error) => error,
            };
            // Besides a 404, Twilio's own passing faults are worth the same two tries.
            let pause = pauses
                .next()
                .filter(|_| matches!(error, MediaError::Absent | MediaError::Failed(_)));
            match pause {
                Some(pause) if Instant::now() + *pause < deadline => tokio::time::sleep(*pause).await,
                _ => return Err(error),
            }
        }
    }

    async fn media_once(&self, url: &str, account: &str, max: u64, deadline: Instant) -> Result<Download, MediaError> {
        let mut answer = self.media_get(url, self.credentials(account), max, deadline).await?;
        let mut here = url.to_owned();
        for _ in 0..HOPS_MAX {
            if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
                break;
            }
            let location = answer.location.as_deref().ok_or(MediaError::Astray)?;
            let place = Place::resolve(&here, location)
                .filter(|place| self.may_follow(place))
                .ok_or(MediaError::Astray)?;
            answer = self.media_get(&place.url, None, max, deadline).await?;
            here = place.url;
        }
        match answer.status {
            200 => Ok(Download {
                bytes: answer.body,
                content_type: answer.content_type,
            }),
            300..400 => Err(MediaError::Astray),
            404 | 410 => Err(MediaError::Absent),
            _ => Err(MediaError::Failed(refused(&answer))),
        }
    }

    async fn media_get(
        &self,
        url: &str,
        basic: Option<(&str, &secrecy::SecretString)>,
        max: u64,
        deadline: Instant,
    ) -> Result<Response, MediaError> {
        let request = Request {
            method: Method::Get,
            url,
            basic,
            headers: &[],
            body: Body::Empty,
            timeout: deadline.saturating_duration_since(Instant::now()),
            answer_max: max,
        };
        self.http().call(request).await.map_err(|fault| match fault {
            Fault::TooLarge { max } => MediaError::TooLarge { max },
            Fault::Unknown { timeout: true, .. } => MediaError::TooSlow,
            fault => MediaError::Failed(fault.into()),
        })
    }

    /// `{API}/2010-04-01/Accounts/{ours}/Messages/{this one}/Media/ME…` and nothing else: no
    /// other scheme, host, query or dots can hide in a text that is compared whole.
    fn is_file_of(&self, url: &str, account: &str, message: &MessageSid) -> bool {
        let prefix = format!("{}/Messages/{message}/Media/ME", self.account_url(account));
        let file = url.strip_prefix(&prefix);
        self.credentials(account).is_some()
            && file.is_some_and(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()))
    }

    fn may_follow(&self, place: &Place) -> bool {
        if place.has_credentials {
            return false;
        }
        // A local fake of the API may have its media on this machine too; the real one may not.
        let fake = Place::resolve(self.api(), "").is_some_and(|api| api.is_loopback());
        if fake && place.is_loopback() {
            return true;
        }
        let of_twilio = HOSTS.iter().any(|host| {
            let rest = place.host.strip_suffix(host);
            rest.is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
        });
        place.scheme == "https" && place.port.is_none() && of_twilio
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::Config;
    use crate::net::Http;

    const ACCOUNT: &str = "ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const SUB: &str = "ACbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    const FILE: &str = "ME00000000000000000000000000000002";

    fn client(api: &str) -> Client {
        let pairs = [
            ("TWILIO_ACCOUNT_SID", ACCOUNT),
            ("TWILIO_AUTH_TOKEN", "t"),
            ("TWILIO_WHATSAPP_FROM", "whatsapp:+14155238886"),
            ("TWILIO_API_BASE", api),
            ("RELEVO__TWILIO__ACCOUNT_TOKENS", &format!("{SUB}:sub")),
        ];
        let env: BTreeMap<String, String> = pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        let config = Config::load(&env).unwrap();
        Client::new(&config.twilio, Http::new().unwrap(), None).unwrap()
    }

    #[test]
    fn credentials_go_only_to_a_file_of_this_message_in_an_account_of_ours() {
        let client = client("https://api.twilio.com");
        let sid = MessageSid::parse("MM0000000000000000000000000000000b").unwrap();
        let good = format!("https://api.twilio.com/2010-04-01/Accounts/{ACCOUNT}/Messages/{sid}/Media/{FILE}");
        assert!(client.is_file_of(&good, ACCOUNT, &sid));
        assert!(client.is_file_of(&good.replace(ACCOUNT, SUB), SUB, &sid));
        let other = "MM0000000000000000000000000000000c";
        for bad in [
            good.replace("https", "http"),
            good.replace("api.twilio.com", "attacker.example"),
            good.replace("api.twilio.com", "api.twilio.com@attacker.example"),
            good.replace("api.twilio.com", "api.twilio.com.attacker.example"),
            good.replace(ACCOUNT, "ACcccccccccccccccccccccccccccccccc"),
            good.replace(sid.as_str(), other),
            good.replace("/Media/", "/Media/../../"),
            format!("{good}?x=1"),
            format!("{good}.json"),
            good.replace(FILE, "ME1"),
        ] {
            assert!(!client.is_file_of(&bad, ACCOUNT, &sid), "{bad}");
        }
        let foreign = "ACcccccccccccccccccccccccccccccccc";
        assert!(!client.is_file_of(&good.replace(ACCOUNT, foreign), foreign, &sid));
    }

    #[test]
    fn redirects_lead_to_twilios_own_hosts_only() {
        let real = client("https://api.twilio.com");
        let follows =
            |client: &Client, url: &str| client.may_follow(&Place::resolve("https://api.twilio.com", url).unwrap());
        for good in [
            "https://mms.twiliocdn.com/x?sig=1",
            "https://media.us1.twilio.com/x",
            "https://twiliocdn.com/x",
        ] {
            assert!(follows(&real, good), "{good}");
        }
        for bad in [
            "http://mms.twiliocdn.com/x",
            "https://eviltwiliocdn.com/x",
            "https://mms.twiliocdn.com.evil.example/x",
            "https://mms.twiliocdn.com:8443/x",
            "https://u:p@mms.twiliocdn.com/x",
            "https://169.254.169.254/latest/meta-data",
            "http://127.0.0.1:9000/x",
            "file:///etc/passwd",
        ] {
            assert!(!follows(&real, bad), "{bad}");
        }
        let fake = client("http://127.0.0.1:4010");
        assert!(follows(&fake, "http://127.0.0.1:9000/x"));
        assert!(!follows(&fake, "http://10.0.0.1:9000/x"));
    }
}
