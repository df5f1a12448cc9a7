//! Links to stored files: signed, expiring, for whoever holds them.
//!
//! `/media/{id}?exp=SECONDS&sig=HEX`. The signature is over the id and the expiry, by a key that
//! is derived from the instance's secret; nothing else of the link is believed.

use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::secret::InstanceSecret;

/// What the key is derived for.
const PURPOSE: &str = "media-link";
/// The route.
pub const MEDIA_PATH: &str = "/media";

/// Makes links and knows its own.
#[derive(Debug, Clone)]
pub struct MediaLinks {
    base: String,
    /// Whether the outside reaches `base`.
    public: bool,
    key: SecretString,
    lasts: SignedDuration,
}

impl MediaLinks {
    /// Links below `public_url`; where that is empty, below `local`, for people at this machine.
    pub fn new(secret: &InstanceSecret, public_url: &str, local: &str, link_mins: u32) -> Self {
        let public = !public_url.is_empty();
        Self {
            base: if public { public_url } else { local }.trim_end_matches('/').to_owned(),
            public,
            key: secret.derive(PURPOSE),
            lasts: SignedDuration::from_mins(i64::from(link_mins.max(1))),
        }
    }

    /// A link that opens the file from now on for a while.
    pub fn link(&self, id: Uuid, now: Timestamp) -> String {
        let expires = now.checked_add(self.lasts).unwrap_or(now).as_second();
        let signature = self.signature(id, expires);
        format!("{}{MEDIA_PATH}/{id}?exp={expires}&sig={signature}", self.base)
    }

    /// The same where the outside can follow it.
    pub fn public_link(&self, id: Uuid, now: Timestamp) -> Option<String> {
        self.public.then(|| self.link(id, now))
    }

    /// Whether files can be attached to what leaves.
    pub fn reaches_outside(&self) -> bool {
        self.public
    }

    /// Does this signature open this file now?
    pub fn opens(&self, id: Uuid, expires: i64, signature: &str, now: Timestamp) -> bool {
        let ours = self.signature(id, expires);
        let same: bool = ours.as_bytes().ct_eq(signature.as_bytes()).into();
        same && now.as_second() <= expires
    }

    fn signature(&self, id: Uuid, expires: i64) -> String {
        // HMAC takes keys of any length, so this cannot fail; an empty key would only weaken it.
        let mut mac = Hmac::<Sha256>::new_from_slice(self.key.expose_secret().as_bytes())
            .unwrap_or_else(|_| Hmac::<Sha256>::new(&Default::default()));
        mac.update(format!("{id} {expires}").as_bytes());
        mac.finalize().into_bytes().iter().map(|b| format!("{b:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(public_url: &str) -> MediaLinks {
        let secret = "0123456789abcdef0123456789abcdef".to_owned().into();
        let dir = tempfile::tempdir().unwrap();
        let secret = InstanceSecret::load(Some(&secret), dir.path()).unwrap();
        MediaLinks::new(&secret, public_url, "http://127.0.0.1:8080", 60)
    }

    fn parts(link: &str) -> (i64, String) {
        let (_, query) = link.split_once("?exp=").unwrap();
        let (expires, signature) = query.split_once("&sig=").unwrap();
        (expires.parse().unwrap(), signature.to_owned())
    }

    #[test]
    fn a_link_opens_its_file_until_it_expires_and_nothing_else() {
        let links = links("https://relay.example.com");
        let (id, now) = (Uuid::from_u128(7), Timestamp::UNIX_EPOCH);
        let link = links.public_link(id, now).unwrap();
        assert!(link.starts_with("https://relay.example.com/media/00000000-0000-0000-0000-000000000007?exp=3600&sig="));
        let (expires, signature) = parts(&link);
        assert!(links.opens(id, expires, &signature, now));
        assert!(!links.opens(id, expires, &signature, now + SignedDuration::from_mins(61)));
        assert!(
            !links.opens(Uuid::from_u128(8), expires, &signature, now),
            "another file"
        );
        assert!(!links.opens(id, expires + 1, &signature, now), "a longer life");
        assert!(!links.opens(id, expires, "", now));
    }

    #[test]
    fn without_a_public_url_links_are_for_this_machine() {
        let links = links("");
        assert!(!links.reaches_outside());
        let (id, now) = (Uuid::from_u128(7), Timestamp::UNIX_EPOCH);
        assert_eq!(links.public_link(id, now), None);
        assert!(links.link(id, now).starts_with("http://127.0.0.1:8080/media/"));
    }
}
