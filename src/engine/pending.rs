//! A write that waits for a person's yes: shown, kept, reminded of, dropped, or said yes to.
//!
//! Only what is a yes by the rules of `guardrails::write` leaves here as a [`Confirmed`]; carrying
//! it out is `execute`'s. Whatever else is said leaves it waiting until it expires, and the reply
//! says so.

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use crate::domain::answer::{Answer, Line};
use crate::domain::ids::EmployeeId;
use crate::format::phrases;
use crate::guardrails::write::{How, NotConfirmed, Pending, Said, Yes, said};
use crate::planner::rendering;
use crate::tools::{Output, PROTOCOL};

use super::flow::{Flow, Told};

/// What became of a write before anything was carried out, for the audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted {
    /// `previewed`, `cancelled`, `refused`, `expired`.
    pub what: &'static str,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub params: Value,
    /// The order it would have been.
    pub order: Uuid,
    /// Why, in a word.
    pub reason: Option<&'static str>,
}

impl Noted {
    /// A yes came too late.
    pub fn expired(pending: &Pending) -> Self {
        Self {
            what: "expired",
            tool: pending.tool.clone(),
            params: pending.params.clone(),
            order: pending.id,
            reason: None,
        }
    }
}

impl Flow<'_> {
    fn asker(&self) -> Option<EmployeeId> {
        self.exec.cx.caller.person().map(|person| person.id.clone())
    }

    pub fn note(&mut self, what: &'static str, pending: &Pending, reason: Option<&'static str>) {
        self.noted.push(Noted {
            what,
            tool: pending.tool.clone(),
            params: pending.params.clone(),
            order: pending.id,
            reason,
        });
    }

    /// What a message says to the write that waits; None when it says nothing to it.
    pub fn answers_pending(&mut self, text: &str) -> Option<Told> {
        let said = said(text)?;
        let Some(pending) = self.memory.pending.clone() else {
            return match said {
                // A yes to nothing, where no menu takes it for its own.
                Said::Yes(How::Explicit | How::Code(_)) if self.memory.menu.is_empty() => {
                    Some(Told::Fresh(self.help("nothing_pending")))
                }
                Said::No(Some(_)) => Some(Told::Fresh(Answer::text(phrases().say("engine.dropped", &[])))),
                Said::Yes(_) | Said::No(_) => None,
            };
        };
        match said {
            Said::Yes(how) => self.yes(pending, how),
            // Another question of ours is the one that is answered.
            Said::No(None) if !self.shown_last() && (self.memory.asking.is_some() || !self.memory.menu.is_empty()) => {
                None
            }
            Said::No(Some(code)) if !code.eq_ignore_ascii_case(&pending.code) => {
                Some(Told::Fresh(self.not_confirmed(&pending, NotConfirmed::OtherCode)))
            }
            Said::No(_) => {
                self.memory.pending = None;
                self.note("cancelled", &pending, None);
                let dropped = phrases().say("engine.write.dropped", &[("what", &pending.preview)]);
                Some(Told::Fresh(Answer::text(dropped)))
            }
        }
    }

    fn yes(&mut self, pending: Pending, how: How<'_>) -> Option<Told> {
        let by = self.asker();
        let yes = Yes {
            how,
            by: by.as_ref(),
            shown_last: self.shown_last(),
            at: self.at,
        };
        match pending.confirm(&yes) {
            Ok(confirmed) => {
                self.memory.pending = None;
                Some(Told::Confirmed(Box::new(confirmed)))
            }
            Err(NotConfirmed::Expired) => {
                self.memory.pending = None;
                Some(Told::Late(Box::new(pending)))
            }
            // *ok* to a menu or to a question that came in between is not about the write.
            Err(NotConfirmed::Stale) if self.memory.asking.is_some() || self.memory.menu.len() == 1 => None,
            Err(why) => Some(Told::Fresh(self.not_confirmed(&pending, why))),
        }
    }

    /// Was the preview or its reminder the last thing sent?
    fn shown_last(&self) -> bool {
        self.memory.pending_shown && !self.turn.interrupted
    }

    /// Why nothing was done, and what still waits.
    fn not_confirmed(&mut self, pending: &Pending, why: NotConfirmed) -> Answer {
        self.note("refused", pending, Some(why.key()));
        let mut answer = Answer::text(phrases().say(&format!("engine.write.refused.{}", why.key()), &[]));
        if why != NotConfirmed::SomebodyElse {
            self.ask_again(&mut answer, pending);
        }
        answer
    }

    /// The reminder that a plain *sí* may answer: what waits, and how to say yes.
    fn ask_again(&mut self, answer: &mut Answer, pending: &Pending) {
        line(
            answer,
            phrases().say("engine.write.waits", &[("what", &pending.preview)]),
        );
        line(answer, self.how_to_confirm(pending));
        answer.suggestions = phrases().list("engine.write.buttons").to_vec();
        self.memory.pending_shown = true;
        self.reminded = true;
    }

    fn how_to_confirm(&self, pending: &Pending) -> String {
        let minutes = self.engine.config.limits.pending_secs / 60;
        phrases().say(
            "engine.write.confirm",
            &[("n", &minutes.max(1)), ("code", &pending.code)],
        )
    }

    /// A preview was shown: it waits from now on, in the place of any other.
    pub fn pend(&mut self, tool: &str, output: &Output, answer: &mut Answer) {
        let Some(basis) = output.basis.clone() else { return };
        let mut params = output.params.clone();
        if let Some(params) = params.as_object_mut() {
            for name in PROTOCOL {
                params.remove(name);
            }
        }
        let pending = Pending::new(
            tool,
            params,
            basis,
            rendering::summary(tool, output, answer),
            self.asker(),
            self.at,
            self.engine.config.limits.pending_secs,
        );
        if let Some(other) = self.memory.pending.take() {
            self.note("cancelled", &other, Some("replaced"));
            line(
                answer,
                phrases().say("engine.write.replaced", &[("what", &other.preview)]),
            );
        }
        line(answer, self.how_to_confirm(&pending));
        answer.suggestions = phrases().list("engine.write.buttons").to_vec();
        self.note("previewed", &pending, None);
        self.memory.pending = Some(pending);
        self.memory.pending_shown = true;
        self.memory.menu.clear();
        self.memory.asking = None;
        self.reminded = true;
    }

    /// After any other answer: what still waits is reminded of, what has expired is said once.
    pub fn remind(&mut self, answer: &mut Answer) {
        if self.reminded {
            return;
        }
        self.memory.pending_shown = false;
        let Some(pending) = self.memory.pending.clone() else {
            return;
        };
        if self.at >= pending.expires_at {
            self.memory.pending = None;
            self.note("expired", &pending, None);
            let expired = phrases().say("engine.write.expired", &[("what", &pending.preview)]);
            answer.notes.push(expired);
        } else {
            let reminder = phrases().say("engine.write.reminder", &[("what", &pending.preview)]);
            answer.notes.push(reminder);
        }
    }
}

fn line(answer: &mut Answer, text: String) {
    answer.lead.push(Line { text, title: false });
}

/// The write that waits, as `relevo ask --json` and `/api/chat` print it (`INTERFACES.md`).
pub fn printed(pending: &Pending) -> Value {
    serde_json::json!({
        "tool": pending.tool,
        "params": pending.params,
        "preview": pending.preview,
        "token": pending.code,
        "expires_at": seconds(pending.expires_at),
    })
}

fn seconds(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
