//! What the check found: one line each, how to mend it, and the verdict as an exit code.

use std::io::{self, Write};

use serde::Serialize;

use super::webhook::Webhook;

/// How one thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// As it should be.
    Ok,
    /// Off, or worth knowing; nothing to mend.
    Note,
    /// It runs, but something will not work.
    Mend,
    /// It would not start.
    Fatal,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Mend => "MEND",
            Self::Fatal => "FATAL",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The setting or the system.
    pub about: &'static str,
    /// How it stands.
    pub state: State,
    /// What was found.
    pub found: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

impl Finding {
    /// As it should be.
    pub fn ok(about: &'static str, found: impl Into<String>) -> Self {
        Self::new(about, State::Ok, found.into(), None)
    }

    /// Worth knowing.
    pub fn note(about: &'static str, found: impl Into<String>) -> Self {
        Self::new(about, State::Note, found.into(), None)
    }

    /// To be mended.
    pub fn mend(about: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::new(about, State::Mend, found.into(), Some(mend.into()))
    }

    /// It would not start.
    pub fn fatal(about: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::new(about, State::Fatal, found.into(), Some(mend.into()))
    }

    fn new(about: &'static str, state: State, found: String, mend: Option<String>) -> Self {
        Self {
            about,
            state,
            found,
            mend,
        }
    }
}

/// Everything that was found.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// In the order they were looked at.
    pub findings: Vec<Finding>,
    /// What Twilio has to be told, and a sample of what it will sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
}

impl Report {
    /// 0 all well, 1 something to mend, 2 it would not start.
    pub fn exit_code(&self) -> u8 {
        match self.findings.iter().map(|f| f.state).max() {
            None | Some(State::Ok | State::Note) => 0,
            Some(State::Mend) => 1,
            Some(State::Fatal) => 2,
        }
    }

    /// One JSON object.
    pub fn json(&self, out: &mut impl Write) -> io::Result<()> {
        let verdict = serde_json::json!({
            "exit": self.exit_code(),
            "findings": self.findings,
            "webhook": self.webhook,
        });
        writeln!(out, "{verdict:#}")
    }

    /// Lines for a person.
    pub fn text(&self, out: &mut impl Write) -> io::Result<()> {
        for finding in &self.findings {
            writeln!(out, "{:<6}{:<22}{}", finding.state.word(), finding.about, finding.found)?;
            if let Some(mend) = &finding.mend {
                writeln!(out, "{:<28}-> {mend}", "")?;
            }
        }
        if let Some(webhook) = &self.webhook {
            webhook.text(out)?;
        }
        let verdict = match self.exit_code() {
            0 => "All well.",
            1 => "It would start, but something needs mending.",
            _ => "It would not start.",
        };
        writeln!(out, "\n{verdict}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_finding_is_the_exit_code() {
        let mut report = Report::default();
        assert_eq!(report.exit_code(), 0);
        report.findings.push(Finding::note("a", "off"));
        assert_eq!(report.exit_code(), 0);
        report.findings.push(Finding::mend("b", "refused", "set it"));
        assert_eq!(report.exit_code(), 1);
        report.findings.push(Finding::fatal("c", "held", "stop it"));
        report.findings.push(Finding::ok("d", "fine"));
        assert_eq!(report.exit_code(), 2);
        let mut text = Vec::new();
        report.text(&mut text).unwrap();
        assert!(String::from_utf8(text).unwrap().contains("-> set it"));
    }
}
