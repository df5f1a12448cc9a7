//! Masks people and secrets in any text that leaves as a log line.
//!
//! Two nets: shapes (phones, addresses, RUTs, mail addresses, tokens) and known words (the
//! secrets of the settings, the full names of the directory). Ids of our own (UUIDs, Twilio
//! SIDs) pass, since the ops team finds a message by them.

use std::sync::{LazyLock, PoisonError, RwLock};

use regex::{Captures, Regex};

use crate::domain::{redact, text};

/// Stands for a secret.
pub const HIDDEN: &str = "[hidden]";
/// A secret shorter than this is no secret, and masking it would hide half the words.
const SECRET_CHARS_MIN: usize = 6;
/// Names that one pattern can hold; an operator's directory is far smaller.
const NAMES_MAX: usize = 20_000;
/// Bytes that the compiled pattern of the names may take.
const NAMES_PATTERN_BYTES: usize = 64 << 20;

/// Fields whose value is never shown, whatever it is.
const HIDDEN_FIELDS: &[&str] = &[
    "authorization",
    "auth_token",
    "api_key",
    "body",
    "email",
    "password",
    "profile_name",
    "question",
    "rut",
    "secret",
    "token",
];

/// Every shape in one pattern. The order matters: the first alternative that fits at a place
/// wins, so what must pass (`keep`) stands before what would eat it.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let alternatives = [
        r"(?P<keep>\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b)",
        r"(?P<address>whatsapp:(?:\+?[0-9]{5,15}|[A-Z]{2}\.[A-Za-z0-9]{1,128}))",
        r"(?P<encoded>(?:whatsapp%3[Aa])?%2[Bb][0-9]{7,15}|whatsapp%3[Aa][A-Z]{2}\.[A-Za-z0-9]{1,128})",
        r"(?P<userinfo>://[^\s/@:]+:[^\s/@]+@)",
        r"(?P<email>[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})",
        r"(?P<scheme>(?i:bearer|basic) +[A-Za-z0-9._~+/=-]{8,})",
        r#"(?P<pair>(?i:\b(?:auth_?token|access_?token|token|api_?key|key|secret|password|signature|sig))(?:=|: ?|": ?")[^\s&"',;})]{6,})"#,
        r"(?P<bare>\b(?:sk-[A-Za-z0-9_-]{8,}|[0-9a-f]{32})\b)",
        r"(?P<rut>\b[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}-[0-9kK]\b)",
        r"(?P<phone>\+[0-9](?:[ ().-]{0,2}[0-9]){6,14}\b|\b(?:56[ -]?)?9[ -]?[0-9]{4}[ -]?[0-9]{4}\b|\b[0-9]{10,15}\b)",
    ];
    Regex::new(&alternatives.join("|")).ok()
});

/// What is masked; shared by every log line, learns while the program runs.
#[derive(Debug, Default)]
pub struct Redactor {
    secrets: RwLock<Vec<Secret>>,
    names: RwLock<Option<Regex>>,
}

/// A secret that can't be printed by accident.
struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Redactor {
    /// Knows the shapes, and these secrets.
    pub fn new<S: Into<String>>(secrets: impl IntoIterator<Item = S>) -> Self {
        let redactor = Self::default();
        redactor.learn_secrets(secrets);
        redactor
    }

    /// Adds secrets, as they stand and as a URL would carry them.
    pub fn learn_secrets<S: Into<String>>(&self, secrets: impl IntoIterator<Item = S>) {
        let mut known = self.secrets.write().unwrap_or_else(PoisonError::into_inner);
        for secret in secrets {
            let secret: String = secret.into();
            if secret.chars().count() < SECRET_CHARS_MIN {
                continue;
            }
            let encoded: String = form_urlencoded::byte_serialize(secret.as_bytes()).collect();
            if encoded != secret {
                known.push(Secret(encoded));
            }
            known.push(Secret(secret));
        }
        // Longest first: a secret that begins another must not leave the rest of it standing.
        known.sort_by_key(|s| std::cmp::Reverse(s.0.len()));
        known.dedup_by(|a, b| a.0 == b.0);
    }

    /// Replaces the full names that are masked (to initials), with and without accents.
    pub fn learn_names<'a>(&self, names: impl IntoIterator<Item = &'a str>) {
        let mut forms: Vec<String> = Vec::new();
        for name in names.into_iter().take(NAMES_MAX) {
            // One word alone is as often a place or a thing as a person.
            if name.split_whitespace().count() < 2 {
                continue;
            }
            for form in [name.to_owned(), text::fold(name)] {
                let words: Vec<String> = form.split_whitespace().map(regex::escape).collect();
                forms.push(words.join(r"\s+"));
            }
        }
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.dedup();
        let pattern = (!forms.is_empty())
            .then(|| format!(r"(?i)\b(?:{})\b", forms.join("|")))
            .and_then(|pattern| {
                let mut builder = regex::RegexBuilder::new(&pattern);
                builder.size_limit(NAMES_PATTERN_BYTES).build().ok()
            });
        *self.names.write().unwrap_or_else(PoisonError::into_inner) = pattern;
    }

    /// Is a field of this name never shown?
    pub fn hides_field(field: &str) -> bool {
        HIDDEN_FIELDS.contains(&field)
    }

    /// The text with people and secrets masked.
    pub fn mask(&self, text: &str) -> String {
        let mut masked = self.without_secrets(text);
        if let Some(names) = self.names.read().unwrap_or_else(PoisonError::into_inner).as_ref() {
            masked = names
                .replace_all(&masked, |found: &Captures<'_>| {
                    found.get(0).map_or_else(String::new, |m| redact::name(m.as_str()))
                })
                .into_owned();
        }
        match SHAPES.as_ref() {
            Some(shapes) => shapes.replace_all(&masked, shape).into_owned(),
            // Fails closed: without the pattern nothing of the text is shown.
            None => HIDDEN.to_owned(),
        }
    }

    fn without_secrets(&self, text: &str) -> String {
        let known = self.secrets.read().unwrap_or_else(PoisonError::into_inner);
        let mut masked = text.to_owned();
        for Secret(secret) in known.iter() {
            if masked.contains(secret.as_str()) {
                masked = masked.replace(secret.as_str(), HIDDEN);
            }
        }
        masked
    }
}

/// What stands in the place of one find.
fn shape(found: &Captures<'_>) -> String {
    let part = |name: &str| found.name(name).map(|m| m.as_str());
    if let Some(kept) = part("keep") {
        return kept.to_owned();
    }
    if let Some(address) = part("address") {
        return redact::address(address);
    }
    if let Some(encoded) = part("encoded") {
        let decoded = percent_encoding::percent_decode_str(encoded).decode_utf8_lossy();
        return redact::address(&decoded);
    }
    if part("userinfo").is_some() {
        return format!("://{HIDDEN}@");
    }
    if let Some(email) = part("email") {
        let domain = email.split_once('@').map_or("", |(_, domain)| domain);
        return format!("***@{domain}");
    }
    if let Some(scheme) = part("scheme") {
        let word = scheme.split_whitespace().next().unwrap_or_default();
        return format!("{word} {HIDDEN}");
    }
    if let Some(pair) = part("pair") {
        let cut = pair
            .find(['=', ':'])
            .map_or(pair, |at| pair.get(..=at).unwrap_or_default());
        return format!("{cut}{HIDDEN}");
    }
    if let Some(rut) = part("rut") {
        return redact::rut(rut);
    }
    part("phone").map_or_else(|| HIDDEN.to_owned(), redact::phone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_masked_by_shape() {
        let redactor = Redactor::default();
        for (text, masked) in [
            ("to whatsapp:+56980000022 now", "to whatsapp:+***0022 now"),
            ("to whatsapp:CL.4566546130240823.", "to whatsapp:CL.***0823."),
            ("To=whatsapp%3A%2B56980000022&x=1", "To=whatsapp:+***0022&x=1"),
            ("calls +56 9 8000 0022 twice", "calls +***0022 twice"),
            ("wa_id 56980000022", "wa_id +***0022"),
            ("móvil 9 8000 0022", "móvil +***0022"),
            ("(\"+5215512345678\")", "(\"+***5678\")"),
            ("rut 99.100.274-K y 99100137-9", "rut **.***.***-K y **.***.***-9"),
            (
                "mail e001@operador-demo.example ok",
                "mail ***@operador-demo.example ok",
            ),
        ] {
            assert_eq!(redactor.mask(text), masked);
        }
    }

    #[test]
    fn tokens_are_masked_by_shape() {
        let redactor = Redactor::default();
        for text in [
            "Authorization: Bearer abcDEF123456",
            "Authorization: Basic QUM6dG9rZW4xMjM=",
            "https://user:abcDEF123456@host/x",
            "https://host/x?token=abcDEF123456&y=1",
            "{\"auth_token\": \"abcDEF123456\"}",
            "sk-ant-abcDEF123456",
            "0123456789abcdef0123456789abcdef",
        ] {
            let masked = redactor.mask(text);
            assert!(masked.contains(HIDDEN), "{masked}");
            for secret in ["abcDEF123456", "QUM6dG9rZW4xMjM=", "0123456789abcdef0123456789abcdef"] {
                assert!(!masked.contains(secret), "{masked}");
            }
        }
    }

    #[test]
    fn ids_times_and_figures_pass() {
        let redactor = Redactor::default();
        for text in [
            "SM0123456789abcdef0123456789abcdef",
            "AC00000000000000000000000000000001",
            "019abcde-1234-7abc-8def-123456789012",
            "2026-11-30T17:16:36.553Z",
            "T-10001 at SITE-002, RM-1161, CU-AN-01, E-001",
            "127.0.0.1:8080 answered 503 after 1500 ms",
        ] {
            assert_eq!(redactor.mask(text), text);
        }
    }

    #[test]
    fn known_secrets_and_names_are_masked_anywhere() {
        let redactor = Redactor::new(["s3cr+t/value", "short"]);
        redactor.learn_names(["Jorge Martínez", "Ximena Rojas", "Soporte"]);
        assert_eq!(
            redactor.mask("x s3cr+t/value y s3cr%2Bt%2Fvalue"),
            "x [hidden] y [hidden]"
        );
        assert_eq!(redactor.mask("JORGE  MARTÍNEZ, jorge martinez"), "J. M., J. M.");
        assert_eq!(redactor.mask("short Soporte"), "short Soporte");
        assert!(!format!("{redactor:?}").contains("s3cr"));
    }
}
