//! Every figure of an answer is traced to what a tool gave; deterministic, no model asked.
//!
//! `Evidence::of` walks the results of the turn (numbers, shares, durations, dates, ids, and what
//! follows from them: lengths, counts, sums, means), the question, and the arguments of the
//! calls. `check` reads the claims of a text one by one and gives each a verdict. What is
//! unsupported is corrected once, then dropped (`drop_offending`); a figure that nobody gave is
//! never shown. Values are compared as values, never as pieces of text.
//!
//! In reading order: `folded` (texts with a way back), `numbers` (readings, rounding), `patterns`,
//! `evidence` and `facts` (what is known), `claims` (ids, dates, figures), `labels` (a figure
//! and the word beside it), `states` (what a text says of a record, and what it says it did).

mod claims;
mod evidence;
mod facts;
mod folded;
mod labels;
mod numbers;
mod patterns;
mod states;

#[cfg(test)]
mod tests;

pub use evidence::{CallFacts, Evidence, FieldLabels, labels_of};

use folded::Folded;

/// What a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An id, a RUT or a phone.
    Id,
    /// A date.
    Date,
    /// A time of day.
    Time,
    /// A share.
    Percent,
    /// A span of time.
    Duration,
    /// That there is none.
    Zero,
    /// A figure.
    Number,
    /// A figure in words.
    NumberWord,
    /// A figure that stands with a word it does not belong to.
    Label,
    /// What a record is.
    State,
    /// Something done.
    Action,
}

impl Kind {
    /// The catalogue word, which is also the value of the counter.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Date => "date",
            Self::Time => "time",
            Self::Percent => "percent",
            Self::Duration => "duration",
            Self::Zero => "zero",
            Self::Number => "number",
            Self::NumberWord => "number_word",
            Self::Label => "label",
            Self::State => "state",
            Self::Action => "action",
        }
    }
}

/// What stands behind a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// A result says so.
    Grounded,
    /// It follows from results.
    Derived,
    /// The person said so, or it was asked for.
    Echoed,
    /// It needs no source: today, a list's numbers.
    Exempt,
    /// Nothing says so.
    Unsupported,
}

/// One claim of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// As it stands in the text.
    pub text: String,
    /// What it is about.
    pub kind: Kind,
    /// What stands behind it.
    pub verdict: Verdict,
    /// Where it stands in the text, in bytes.
    pub at: (usize, usize),
}

/// The claims of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// All of them, kind by kind.
    pub claims: Vec<Claim>,
}

impl Report {
    /// The claims that nothing stands behind.
    pub fn unsupported(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| claim.verdict == Verdict::Unsupported)
    }

    /// May the text be shown?
    pub fn holds(&self) -> bool {
        self.unsupported().next().is_none()
    }
}

/// The claims of `answer`, each with its verdict.
pub fn check(answer: &str, evidence: &Evidence) -> Report {
    let folded = Folded::of(answer);
    let mut report = Report::default();
    claims::read(&folded, evidence, &mut report.claims);
    labels::read(&folded, evidence, &mut report.claims);
    states::read(&folded, evidence, &mut report.claims);
    report
}

/// The text without the sentences that hold an unsupported claim; None when nothing is left to say.
pub fn drop_offending(text: &str, report: &Report) -> Option<String> {
    let kept: Vec<&str> = folded::sentences(text)
        .into_iter()
        .filter(|(from, to)| !report.unsupported().any(|claim| claim.at.0 < *to && *from < claim.at.1))
        .filter_map(|(from, to)| text.get(from..to))
        .collect();
    let rest = kept.concat().trim().to_owned();
    rest.chars().any(char::is_alphanumeric).then_some(rest)
}
