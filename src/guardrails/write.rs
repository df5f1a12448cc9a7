//! Nothing is changed without a person's yes.
//!
//! A write is previewed and becomes a [`Pending`]: what would be done, for whom, until when. Only
//! [`Pending::confirm`] turns it into a [`Confirmed`], and only when the same person says yes in
//! time and in words that stand for this preview. Tools commit nothing without that witness, and
//! nobody else can make one:
//!
//! ```compile_fail
//! use relevo::guardrails::write::Confirmed;
//! // The fields are private: a witness can't be written down.
//! let forged = Confirmed { pending: todo!() };
//! ```
//!
//! ```compile_fail
//! use relevo::guardrails::write::Confirmed;
//! // Nor read from outside: it is no kept form of anything.
//! let forged: Confirmed = serde_json::from_str("{}").unwrap();
//! ```
//!
//! What is made the proper way compiles:
//!
//! ```
//! use relevo::guardrails::write::{Confirmed, NotConfirmed, Pending, Yes};
//! fn witness(pending: &Pending, yes: &Yes<'_>) -> Result<Confirmed, NotConfirmed> {
//!     pending.confirm(yes)
//! }
//! ```

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::domain::ids::EmployeeId;
use crate::domain::text::fold;

/// Characters of a code: thirty bits, for ten minutes and one person.
const CODE_CHARS: usize = 6;
/// What a code is made of: nothing that is read as something else.
const CODE_ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// How a button of ours begins that says yes, before the code.
const BUTTON_YES: &str = "confirm:";
/// How a button of ours begins that says no, before the code.
const BUTTON_NO: &str = "cancel:";

/// A previewed write that waits for a yes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// Its id, which becomes the order's: what is done twice under it is done once.
    pub id: Uuid,
    /// The tool.
    pub tool: String,
    /// Its resolved arguments.
    pub params: Value,
    /// What was shown, in one line.
    pub preview: String,
    /// What the preview started from: when this has changed, the yes was to something else.
    pub basis: Value,
    /// What stands for a yes to exactly this.
    pub code: String,
    /// Who was shown it; None for the desk.
    pub by: Option<EmployeeId>,
    /// When it was shown, by the machine's clock.
    pub shown_at: Timestamp,
    /// Until when a yes counts, by the same.
    pub expires_at: Timestamp,
}

impl Pending {
    /// A write just previewed, at `now` of the machine; a yes counts for so many seconds.
    pub fn new(
        tool: &str,
        params: Value,
        basis: Value,
        preview: String,
        by: Option<EmployeeId>,
        now: Timestamp,
        secs: u64,
    ) -> Self {
        let for_so_long = SignedDuration::from_secs(i64::try_from(secs).unwrap_or(i64::MAX));
        Self {
            id: Uuid::now_v7(),
            tool: tool.to_owned(),
            params,
            preview,
            basis,
            code: code(),
            by,
            shown_at: now,
            expires_at: now.checked_add(for_so_long).unwrap_or(now),
        }
    }

    /// The witness, when this yes is one to this preview.
    pub fn confirm(&self, yes: &Yes<'_>) -> Result<Confirmed, NotConfirmed> {
        if self.by.as_ref() != yes.by {
            return Err(NotConfirmed::SomebodyElse);
        }
        match yes.how {
            How::Plain if !yes.shown_last => return Err(NotConfirmed::Stale),
            How::Code(code) if !code.eq_ignore_ascii_case(&self.code) => return Err(NotConfirmed::OtherCode),
            How::Plain | How::Explicit | How::Code(_) => {}
        }
        // A clock that was set back must not make a preview live for ever.
        if yes.at >= self.expires_at || yes.at < self.shown_at {
            return Err(NotConfirmed::Expired);
        }
        Ok(Confirmed { pending: self.clone() })
    }
}

/// A code that nobody can guess in ten minutes.
fn code() -> String {
    let random = Uuid::new_v4();
    let symbols = random.as_bytes().iter().take(CODE_CHARS).map(|byte| {
        let at = usize::from(byte % 32);
        CODE_ALPHABET.get(at).map_or('X', |symbol| char::from(*symbol))
    });
    symbols.collect()
}

/// A yes: who said it, how, and when.
#[derive(Debug, Clone, Copy)]
pub struct Yes<'a> {
    /// In which words.
    pub how: How<'a>,
    /// Who; None for the desk.
    pub by: Option<&'a EmployeeId>,
    /// Whether the preview, or its reminder, was the last thing this person was sent.
    pub shown_last: bool,
    /// When, by the machine's clock.
    pub at: Timestamp,
}

/// In which words a yes was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How<'a> {
    /// `sí`, `dale`, `ok`, 👍: a yes to what was said last.
    Plain,
    /// `confirmo`: a yes to the write that waits.
    Explicit,
    /// Its code, typed, as a button or as a token.
    Code(&'a str),
}

/// Why a yes is none to this write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotConfirmed {
    /// It was shown to another person.
    #[error("the preview was shown to somebody else")]
    SomebodyElse,
    /// Too late.
    #[error("the preview has expired")]
    Expired,
    /// Something else was said in between.
    #[error("the preview is not the last thing that was shown")]
    Stale,
    /// The code of another preview.
    #[error("the code belongs to another preview")]
    OtherCode,
}

impl NotConfirmed {
    /// Its key among the phrases.
    pub const fn key(self) -> &'static str {
        match self {
            Self::SomebodyElse => "somebody_else",
            Self::Expired => "expired",
            Self::Stale => "stale",
            Self::OtherCode => "other_code",
        }
    }
}

/// The witness that a person said yes to exactly these arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmed {
    pending: Pending,
}

impl Confirmed {
    /// What was confirmed.
    pub fn pending(&self) -> &Pending {
        &self.pending
    }
}

/// What a message says to a write that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said<'a> {
    /// Yes.
    Yes(How<'a>),
    /// No: all of it, or the preview with this code.
    No(Option<&'a str>),
}

const PLAIN: [&str; 23] = [
    "si", "sii", "siii", "sip", "sipo", "dale", "ok", "okey", "okay", "oka", "vale", "correcto", "listo", "ya",
    "claro", "perfecto", "yes", "sim", "hazlo", "procede", "adelante", "bueno", "exacto",
];
const EXPLICIT: [&str; 7] = [
    "confirmo",
    "confirma",
    "confirmar",
    "confirmado",
    "confirmalo",
    "confirmada",
    "confirm",
];
const NO: [&str; 14] = [
    "no",
    "nop",
    "nopo",
    "cancela",
    "cancelar",
    "cancelalo",
    "cancelo",
    "negativo",
    "olvidalo",
    "dejalo",
    "descarta",
    "descartalo",
    "anulalo",
    "nada",
];
/// Words that may stand beside a yes or no without changing it.
const FILLERS: [&str; 12] = [
    "por", "favor", "porfa", "xfa", "po", "pues", "gracias", "muchas", "eso", "es", "lo", "que",
];

/// Reads a message that is a yes or a no and nothing besides. Anything else is neither: what is
/// not a clear yes changes nothing.
pub fn said(text: &str) -> Option<Said<'_>> {
    let text = text.trim();
    if let Some(code) = text.strip_prefix(BUTTON_YES) {
        return Some(Said::Yes(How::Code(code.trim())));
    }
    if let Some(code) = text.strip_prefix(BUTTON_NO) {
        return Some(Said::No(Some(code.trim())));
    }
    let folded = fold(text);
    if let Some(code) = code_in(text, &folded) {
        return Some(Said::Yes(How::Code(code)));
    }
    let words: Vec<&str> = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        // 👍 in any colour of skin, once or often, and nothing besides.
        let thumbs = folded.contains('👍') || folded.contains('✅');
        let only = text.chars().all(|c| {
            matches!(c, '👍' | '✅' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{FE0F}' | '!' | '.') || c.is_whitespace()
        });
        return (thumbs && only).then_some(Said::Yes(How::Plain));
    }
    // *¿sí?*, *ok?* ask.
    if text.contains('?') {
        return None;
    }
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let all = |admits: &dyn Fn(&&str) -> bool| words.iter().all(admits);
    let (plain, explicit, no) = (has(&PLAIN), has(&EXPLICIT), has(&NO));
    // *ya no*, *mejor no*: a no that some yes-word stands beside is a no.
    if no && all(&|w| NO.contains(w) || FILLERS.contains(w) || matches!(*w, "ya" | "mejor")) {
        return Some(Said::No(None));
    }
    if no || !all(&|w| PLAIN.contains(w) || EXPLICIT.contains(w) || FILLERS.contains(w)) {
        return None;
    }
    match () {
        () if explicit => Some(Said::Yes(How::Explicit)),
        () if plain => Some(Said::Yes(How::Plain)),
        () => None,
    }
}

/// The code in `confirmo K7QXN2` or `K7QXN2`: it holds a figure, so that no word is taken for one,
/// unless `confirmo` stands before it.
fn code_in<'a>(text: &'a str, folded: &str) -> Option<&'a str> {
    let last = text.split_whitespace().next_back()?;
    let sound = last.len() == CODE_CHARS && last.bytes().all(|b| CODE_ALPHABET.contains(&b.to_ascii_uppercase()));
    let mut before = folded.split_whitespace();
    before.next_back();
    let announced = before.clone().any(|word| EXPLICIT.contains(&word));
    let alone = before.clone().next().is_none() && last.bytes().any(|b| b.is_ascii_digit());
    let fits = before.all(|word| EXPLICIT.contains(&word) || PLAIN.contains(&word) || matches!(word, "codigo" | "el"));
    (sound && fits && (announced || alone)).then_some(last)
}

/// What the button under a preview stands for.
pub fn buttons(code: &str) -> (String, String) {
    (format!("{BUTTON_YES}{code}"), format!("{BUTTON_NO}{code}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: &str = "2026-11-30T13:41:00Z";

    fn person(id: &str) -> EmployeeId {
        EmployeeId::parse(id).unwrap()
    }

    fn pending() -> Pending {
        let now = NOW.parse().unwrap();
        Pending::new(
            "add_task_note",
            json!({}),
            json!({}),
            String::new(),
            Some(person("E-022")),
            now,
            600,
        )
    }

    fn after(secs: i64) -> Timestamp {
        NOW.parse::<Timestamp>().unwrap() + jiff::SignedDuration::from_secs(secs)
    }

    fn yes<'a>(how: How<'a>, by: &'a EmployeeId, shown_last: bool, secs: i64) -> Yes<'a> {
        Yes {
            how,
            by: Some(by),
            shown_last,
            at: after(secs),
        }
    }

    #[test]
    fn the_same_persons_yes_in_time_is_the_witness() {
        let (pending, by) = (pending(), person("E-022"));
        let witness = pending.confirm(&yes(How::Plain, &by, true, 599)).unwrap();
        assert_eq!(witness.pending(), &pending);
    }

    #[test]
    fn a_plain_yes_after_another_turn_is_none_confirmo_and_the_code_still_are() {
        let (pending, by) = (pending(), person("E-022"));
        let stale = pending.confirm(&yes(How::Plain, &by, false, 1));
        assert_eq!(stale.unwrap_err(), NotConfirmed::Stale);
        assert!(pending.confirm(&yes(How::Explicit, &by, false, 1)).is_ok());
        let code = pending.code.to_lowercase();
        assert!(pending.confirm(&yes(How::Code(&code), &by, false, 1)).is_ok());
        let other = pending.confirm(&yes(How::Code("AAAAAA"), &by, true, 1));
        assert_eq!(other.unwrap_err(), NotConfirmed::OtherCode);
    }

    #[test]
    fn another_person_and_the_eleventh_minute_confirm_nothing() {
        let (pending, by, other) = (pending(), person("E-022"), person("E-023"));
        let refused = |yes: &Yes<'_>| pending.confirm(yes).unwrap_err();
        assert_eq!(
            refused(&yes(How::Code(&pending.code), &other, true, 1)),
            NotConfirmed::SomebodyElse
        );
        let desk = Yes {
            by: None,
            ..yes(How::Explicit, &by, true, 1)
        };
        assert_eq!(refused(&desk), NotConfirmed::SomebodyElse);
        assert_eq!(refused(&yes(How::Explicit, &by, true, 600)), NotConfirmed::Expired);
        assert_eq!(refused(&yes(How::Explicit, &by, true, -1)), NotConfirmed::Expired);
    }

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        for text in [
            "sí",
            "Si",
            "SI",
            "dale",
            "ok",
            "correcto",
            "listo",
            "👍",
            "👍🏽",
            "sí, dale",
            "si por favor",
            "ok gracias",
            "ya po",
        ] {
            assert_eq!(said(text), Some(Said::Yes(How::Plain)), "{text}");
        }
        for text in ["confirmo", "Confirmo.", "sí, confirmo", "CONFIRMAR"] {
            assert_eq!(said(text), Some(Said::Yes(How::Explicit)), "{text}");
        }
        for text in ["K7QXN2", "confirmo K7QXN2", "k7qxn2", "confirmo el codigo k7qxn2"] {
            assert!(matches!(said(text), Some(Said::Yes(How::Code(_)))), "{text}");
        }
        for text in ["no", "No.", "cancela", "cancelar", "no gracias", "ya no", "mejor no"] {
            assert_eq!(said(text), Some(Said::No(None)), "{text}");
        }
        for text in [
            "",
            "si pero no",
            "sí?",
            "si puedes espera",
            "no sé si",
            "ok y las alarmas",
            "sí, pero mañana",
            "no confirmo",
            "👎",
            "👍👎",
            "gracias",
            "T-10001",
            "estado",
            "cierra",
            "confirmo mañana",
        ] {
            assert!(!matches!(said(text), Some(Said::Yes(_))), "{text}: {:?}", said(text));
        }
    }

    #[test]
    fn a_button_stands_for_its_own_preview_only() {
        let pending = pending();
        let (yes, no) = buttons(&pending.code);
        assert_eq!(said(&yes), Some(Said::Yes(How::Code(&pending.code))));
        assert_eq!(said(&no), Some(Said::No(Some(&pending.code))));
    }

    #[test]
    fn codes_differ_and_hold_no_doubtful_sign() {
        let (a, b) = (code(), code());
        assert_ne!(a, b);
        assert!(a.len() == CODE_CHARS && !a.contains(['0', 'O', '1', 'I']));
    }
}
