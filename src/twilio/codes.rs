//! Twilio's error codes and what the outbox does about each; the table is embedded.
//!
//! Branching is on codes only, never on texts: those change without notice. A code we don't know
//! is judged by the HTTP status it came with.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// What to do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reaction {
    /// Passing: again, with growing pauses.
    Retry,
    /// This message can't reach this recipient.
    Drop,
    /// Nothing will be delivered until somebody acts: settings, account, sender.
    Alert,
    /// Our own mistake in the request.
    Fix,
    /// Shorter and simpler, once.
    Reformat,
    /// Outside the 24-hour window: a template, or wait for the person to write.
    Template,
    /// Without its media.
    Fallback,
    /// It mends itself, later.
    Wait,
    /// We answer a machine that answers us.
    Throttle,
}

/// A row of the table.
#[derive(Debug, Clone, Deserialize)]
pub struct Code {
    /// The number.
    pub code: u32,
    /// What it means.
    pub name: String,
    /// Where it is seen: `rest 400`, `status`, `debugger`.
    pub seen_in: String,
    /// What to do.
    pub reaction: Reaction,
    /// Sends at most, counting the first, where fewer than usual help.
    pub tries: Option<u32>,
    /// Seconds at least before the next send.
    #[serde(default)]
    pub pause_secs: u64,
    /// What to do, in words for the ops team; may be empty.
    pub action: String,
}

#[derive(Deserialize)]
struct Table {
    meta: HashMap<String, u32>,
    codes: Vec<Code>,
}

struct Codes {
    by_code: HashMap<u32, Code>,
    meta: HashMap<String, u32>,
}

static CODES: LazyLock<Codes> =
    LazyLock::new(
        || match serde_json::from_str::<Table>(include_str!("error_codes.json")) {
            Ok(table) => Codes {
                by_code: table.codes.into_iter().map(|code| (code.code, code)).collect(),
                meta: table.meta,
            },
            // The file is embedded, so a test finds this long before anybody runs it.
            Err(error) => panic!("the embedded error codes are broken: {error}"),
        },
    );

/// What the sandbox once called 63015 in callbacks.
const OLD_SANDBOX_ERROR: &str = "InvalidSandboxRequest";
/// Recipient has not joined the sandbox.
const NOT_JOINED: u32 = 63015;

/// The row of a code as reported: Twilio's number, WhatsApp's own number, or an old word.
pub fn find(code: &str) -> Option<&'static Code> {
    let code = code.trim();
    let number = match code.parse() {
        Ok(number) if CODES.by_code.contains_key(&number) => number,
        _ if code == OLD_SANDBOX_ERROR => NOT_JOINED,
        _ => *CODES.meta.get(code)?,
    };
    CODES.by_code.get(&number)
}

/// What to do about a code; one we don't know is dropped and shown, unless the HTTP status says
/// that it passes.
pub fn reaction(code: Option<&str>, status: Option<u16>) -> Reaction {
    match (code.and_then(find), status) {
        (Some(row), _) => row.reaction,
        (None, Some(429 | 500..)) => Reaction::Retry,
        (None, Some(401 | 403)) => Reaction::Alert,
        (None, _) => Reaction::Drop,
    }
}

/// A code in words for the ops team: `63016: Outside the messaging window. Send …`.
pub fn in_words(code: &str) -> String {
    let mut words: String = code.chars().take(40).collect();
    match find(code) {
        Some(row) => {
            words.push_str(": ");
            words.push_str(&row.name);
            if !row.action.is_empty() {
                words.push_str(". ");
                words.push_str(&row.action);
            }
        }
        None => words.push_str(": a code we don't know"),
    }
    words
}

/// Does this code say that the person wants no messages: on Twilio's block list (21610), or our
/// number blocked on the phone (63014, 63033)?
pub fn is_opt_out(code: &str) -> bool {
    matches!(code, "21610" | "63014" | "63033")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meta_code_has_a_row_but_for_the_template_one_nobody_documents() {
        assert!(CODES.by_code.len() > 90);
        for (meta, code) in &CODES.meta {
            assert!(CODES.by_code.contains_key(code) || *code == 63029, "{meta} -> {code}");
        }
    }

    #[test]
    fn codes_are_found_by_number_by_metas_number_and_by_the_old_word() {
        assert_eq!(find("63016").unwrap().reaction, Reaction::Template);
        assert_eq!(find("470").unwrap().code, 63016);
        assert_eq!(find("InvalidSandboxRequest").unwrap().code, 63015);
        assert!(find("").is_none());
        assert!(in_words("63015").starts_with("63015: Recipient has not joined the sandbox"));
    }

    #[test]
    fn an_unknown_code_is_judged_by_its_status() {
        assert_eq!(reaction(Some("99999"), Some(503)), Reaction::Retry);
        assert_eq!(reaction(None, Some(429)), Reaction::Retry);
        assert_eq!(reaction(Some("99999"), Some(400)), Reaction::Drop);
        assert_eq!(reaction(Some("99999"), None), Reaction::Drop);
        assert_eq!(reaction(Some("20003"), Some(401)), Reaction::Alert);
        assert_eq!(reaction(Some("14107"), None), Reaction::Throttle);
    }
}
