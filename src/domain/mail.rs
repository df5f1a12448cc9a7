//! Addresses and subjects of mails, typed so that none can hold a second header.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::redact;

/// The longest address (RFC 5321).
const ADDRESS_CHARS_MAX: usize = 254;
/// The longest part before the @.
const LOCAL_CHARS_MAX: usize = 64;
/// The longest subject, characters.
pub const SUBJECT_CHARS_MAX: usize = 200;

/// A mail address in lower case. Its `Debug` is masked, since it names a person.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct EmailAddress(String);

/// The text is no mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a mail address like ana@example.com is needed")]
pub struct BadEmail;

impl EmailAddress {
    /// Reads an address; quoted and internationalised ones are not taken.
    pub fn parse(text: &str) -> Result<Self, BadEmail> {
        let text = text.trim();
        let (local, domain) = text.rsplit_once('@').ok_or(BadEmail)?;
        let atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
        let local_sound = (1..=LOCAL_CHARS_MAX).contains(&local.len())
            && local.chars().all(atom)
            && !local.starts_with('.')
            && !local.ends_with('.')
            && !local.contains("..");
        let label = |l: &str| {
            !l.is_empty()
                && l.len() <= 63
                && !l.starts_with('-')
                && !l.ends_with('-')
                && l.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        let domain_sound = domain.contains('.') && domain.split('.').all(label);
        let sound = local_sound && domain_sound && text.len() <= ADDRESS_CHARS_MAX;
        sound.then(|| Self(text.to_ascii_lowercase())).ok_or(BadEmail)
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands after the @.
    pub fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }
}

impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redact::email(&self.0))
    }
}

impl<'de> Deserialize<'de> for EmailAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Is this a subject: one line, not empty, not too long?
pub fn is_subject(text: &str) -> bool {
    let count = text.chars().count();
    (1..=SUBJECT_CHARS_MAX).contains(&count) && !text.trim().is_empty() && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_no_header_and_nobody_else() {
        for sound in ["ana@example.com", "A.b+c@mail.Example.cl"] {
            assert_eq!(EmailAddress::parse(sound).unwrap().as_str(), sound.to_lowercase());
        }
        for junk in [
            "",
            "ana",
            "ana@",
            "@example.com",
            "ana@example",
            "ana@example.com\r\nBcc: x@y.example",
            "ana@example.com, luis@example.com",
            "Ana <ana@example.com>",
            "ana@@example.com",
            "a..b@example.com",
            "ana@-example.com",
            "ana@exam ple.com",
            "\"ana\"@example.com",
        ] {
            assert!(EmailAddress::parse(junk).is_err(), "{junk}");
        }
        let shown = format!("{:?}", EmailAddress::parse("ana.soto@example.com").unwrap());
        assert_eq!(shown, "***@example.com");
    }

    #[test]
    fn a_subject_is_one_line() {
        assert!(is_subject("Corte en SITE-002"));
        for junk in ["", " ", "a\nb", "a\r\nBcc: x@y.example", "a\u{0}b"] {
            assert!(!is_subject(junk), "{junk:?}");
        }
        assert!(!is_subject(&"a".repeat(SUBJECT_CHARS_MAX + 1)));
    }
}
