//! The certification: what an answer must say, computed apart from the program, and the certificate.
//!
//! What an answer must say is read from the demo tables by a path of its own (`oracle`), never
//! taken from an answer. `report` prints what a run came to: a table by category, each failure
//! with question, expectation and what came instead, and the verdict.

pub mod oracle;
mod report;

use std::time::Duration;

pub use report::{json, table};

/// What one thing should have been and was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// What was said.
    pub question: String,
    /// What must be true.
    pub expected: String,
    /// What was there instead.
    pub got: String,
}

/// A case that was run.
#[derive(Debug)]
pub struct Ran {
    /// Its name.
    pub id: String,
    /// What was wrong; empty: it passed.
    pub misses: Vec<Miss>,
}

/// A category that was run.
#[derive(Debug)]
pub struct Section {
    /// Its name.
    pub category: &'static str,
    /// Its cases.
    pub cases: Vec<Ran>,
    /// How long they took together.
    pub took: Duration,
}

impl Section {
    /// Cases in which nothing was wrong.
    pub fn passed(&self) -> usize {
        self.cases.iter().filter(|case| case.misses.is_empty()).count()
    }
}

/// What the certification came to.
#[derive(Debug)]
pub struct Certificate {
    /// The categories in their order.
    pub sections: Vec<Section>,
    /// The whole of it, the engine's start included.
    pub took: Duration,
}

impl Certificate {
    /// Cases that were run.
    pub fn total(&self) -> usize {
        self.sections.iter().map(|section| section.cases.len()).sum()
    }

    /// Cases in which nothing was wrong.
    pub fn passed(&self) -> usize {
        self.sections.iter().map(Section::passed).sum()
    }

    /// Was there nothing wrong? Where nothing was run, nothing holds.
    pub fn holds(&self) -> bool {
        self.total() > 0 && self.passed() == self.total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_cases_certifies_nothing() {
        let empty = Certificate {
            sections: vec![],
            took: Duration::ZERO,
        };
        assert!(!empty.holds());
    }
}
