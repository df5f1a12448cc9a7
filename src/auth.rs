//! Keys of the ops team: what was presented, and whether it is the one that was set.
//!
//! Only a key's SHA-256 is held, and hashes are compared in constant time, so neither a dump
//! of memory nor the time of an answer tells the key. Where no key is set, nothing presented
//! is accepted: whether a keyless request may pass is the loopback rule's question, not ours.

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The admin's key, hashed.
#[derive(Clone)]
pub struct AdminKey([u8; 32]);

impl std::fmt::Debug for AdminKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AdminKey([hidden])")
    }
}

impl AdminKey {
    /// The key of the settings; None when it is empty.
    pub fn set(key: &SecretString) -> Option<Self> {
        let key = key.expose_secret().trim();
        (!key.is_empty()).then(|| Self(hash(key)))
    }

    /// Is this the key?
    pub fn accepts(&self, presented: &str) -> bool {
        self.0.ct_eq(&hash(presented.trim())).into()
    }
}

fn hash(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

/// The key that a request presents: `Authorization: Bearer …` before `X-API-Key: …`.
pub fn presented<'a>(authorization: Option<&'a str>, api_key: Option<&'a str>) -> Option<&'a str> {
    let bearer = authorization.and_then(|value| {
        let (scheme, key) = value.trim().split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    });
    bearer.or(api_key.map(str::trim)).filter(|key| !key.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_that_was_set_is_accepted_and_it_never_shows() {
        let key = AdminKey::set(&"correct horse battery".into()).unwrap();
        assert!(key.accepts("correct horse battery"));
        for wrong in [
            "",
            "correct horse",
            "Correct horse battery",
            "correct horse battery staple",
        ] {
            assert!(!key.accepts(wrong), "{wrong}");
        }
        assert!(!format!("{key:?}").contains("horse"));
        assert!(AdminKey::set(&" ".into()).is_none());
    }

    #[test]
    fn a_key_comes_as_bearer_or_as_api_key() {
        assert_eq!(presented(Some("Bearer abc"), None), Some("abc"));
        assert_eq!(presented(Some("bearer  abc "), Some("other")), Some("abc"));
        assert_eq!(presented(Some("Basic abc"), Some("other")), Some("other"));
        assert_eq!(presented(Some("Bearer"), None), None);
        assert_eq!(presented(None, Some(" ")), None);
    }
}
