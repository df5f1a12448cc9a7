//! A webhook's fields, decoded strictly: order and empty values kept, nothing guessed.

use std::borrow::Cow;

use percent_encoding::percent_decode;

/// Fields a webhook may have; Twilio sends about 30.
const FIELDS_MAX: usize = 300;

/// The bytes are no form we can read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadForm {
    /// A name or value is no UTF-8 once decoded.
    #[error("field {position} is no valid UTF-8")]
    NotUtf8 {
        /// Place of the field, from 1.
        position: usize,
    },
    /// More fields than any webhook has.
    #[error("more than {FIELDS_MAX} fields")]
    TooManyFields,
}

/// The fields of a webhook, as ordered pairs.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Form {
    pairs: Vec<(String, String)>,
    query: Vec<(String, String)>,
}

// The values are people's words and addresses: only the names may be shown.
impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.pairs.iter().map(|(name, _)| name)).finish()
    }
}

impl Form {
    /// A POST: the fields are in the body, our own marks in the query.
    pub(super) fn post(body: &[u8], query: &str) -> Result<Self, BadForm> {
        Ok(Self {
            pairs: decode(body)?,
            query: decode(query.as_bytes())?,
        })
    }

    /// A GET: the fields are the query.
    pub(super) fn get_request(query: &str) -> Result<Self, BadForm> {
        let query = decode(query.as_bytes())?;
        Ok(Self {
            pairs: query.clone(),
            query,
        })
    }

    /// All fields as they came.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// The first value of a field.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Every value of a field.
    pub fn all<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        values(&self.pairs, name)
    }

    /// A value of the URL's query, where our status callback carries the outbox id.
    pub fn query(&self, name: &str) -> Option<&str> {
        values(&self.query, name).next()
    }
}

fn values<'a, 'n>(pairs: &'a [(String, String)], name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
    pairs
        .iter()
        .filter(move |(key, _)| key == name)
        .map(|(_, value)| value.as_str())
}

/// Decodes `a=1&b=x+y`. Unlike the lossy decoders, invalid UTF-8 is an error: two different
/// signed bodies must never read as the same text.
fn decode(bytes: &[u8]) -> Result<Vec<(String, String)>, BadForm> {
    let mut pairs = Vec::new();
    for (index, piece) in bytes
        .split(|b| *b == b'&')
        .filter(|piece| !piece.is_empty())
        .enumerate()
    {
        if index >= FIELDS_MAX {
            return Err(BadForm::TooManyFields);
        }
        let mut halves = piece.splitn(2, |b| *b == b'=');
        let mut half = || text(halves.next().unwrap_or_default()).ok_or(BadForm::NotUtf8 { position: index + 1 });
        let name = half()?;
        let value = half()?;
        pairs.push((name, value));
    }
    Ok(pairs)
}

fn text(encoded: &[u8]) -> Option<String> {
    let spaced: Cow<'_, [u8]> = if encoded.contains(&b'+') {
        encoded.iter().map(|b| if *b == b'+' { b' ' } else { *b }).collect()
    } else {
        encoded.into()
    };
    percent_decode(&spaced).decode_utf8().ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_empty_values_and_repetitions_are_kept() {
        let form = Form::post(b"b=2&a=&b=x+y%26&flag&&c=%F0%9F%9A%A8", "outbox=7").unwrap();
        let pairs: Vec<(&str, &str)> = form.pairs().iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(
            pairs,
            [("b", "2"), ("a", ""), ("b", "x y&"), ("flag", ""), ("c", "\u{1f6a8}")]
        );
        assert_eq!(form.all("b").count(), 2);
        assert_eq!(form.query("outbox"), Some("7"));
        assert_eq!(form.first("outbox"), None);
    }

    #[test]
    fn invalid_utf8_and_floods_are_refused() {
        assert_eq!(
            Form::post(b"a=1&b=%FF", "").unwrap_err(),
            BadForm::NotUtf8 { position: 2 }
        );
        assert_eq!(Form::post(b"\xff=1", "").unwrap_err(), BadForm::NotUtf8 { position: 1 });
        assert_eq!(
            Form::post(&b"a=1&".repeat(301), "").unwrap_err(),
            BadForm::TooManyFields
        );
    }

    #[test]
    fn the_debug_form_shows_no_value() {
        let form = Form::post(b"Body=secreto&From=whatsapp%3A%2B56", "").unwrap();
        assert_eq!(format!("{form:?}"), r#"["Body", "From"]"#);
    }
}
