//! What follows from a send that failed: a pure decision by the code table, the tries so far and the age.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::domain::outbound::Outbound;
use crate::format;
use crate::store::Settle;
use crate::twilio::codes::{self, Reaction};
use crate::twilio::{Outcome, TwilioError};

/// UTF-16 units of a text that was made shorter: well below what any way of counting refuses.
const SHORTER_UNITS_MAX: usize = 1_000;
/// An answer older than this helps nobody: until then a service that is down is waited for.
const STALE_AFTER: SignedDuration = SignedDuration::from_hours(24);
/// The longest pause after Twilio said that we ask too much.
const LIMITED_PAUSE_MAX: Duration = Duration::from_secs(30);
/// Pause while the account or its credentials are refused.
const REFUSED_PAUSE: Duration = Duration::from_secs(60);

/// How a send failed.
#[derive(Debug, Clone, Default)]
pub(super) struct Trouble {
    /// Twilio's code, or WhatsApp's, as text.
    pub code: Option<String>,
    /// The HTTP status, when the send itself was refused; None for a later report.
    pub status: Option<u16>,
    /// In words.
    pub reason: String,
    /// When to try again, where Twilio says so.
    pub retry_after: Option<Duration>,
    /// How we know.
    pub how: How,
}

/// How we know of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum How {
    /// Twilio said so.
    #[default]
    Answered,
    /// It never reached Twilio, so it says nothing about this message.
    Unsent,
    /// There was no answer, and Twilio turned out not to have it.
    Unanswered,
}

impl Trouble {
    pub fn of_send(error: &TwilioError) -> Self {
        Self {
            code: error.code(),
            status: error.status(),
            reason: error.in_words(),
            retry_after: error.retry_after(),
            how: match (error.status(), error.outcome()) {
                (Some(_), _) => How::Answered,
                (None, Outcome::None) => How::Unsent,
                (None, Outcome::Unknown) => How::Unanswered,
            },
        }
    }

    pub fn reported(code: Option<String>, reason: Option<String>) -> Self {
        let words = code
            .as_deref()
            .map_or_else(|| "reported as failed without a code".to_owned(), codes::in_words);
        Self {
            reason: reason.unwrap_or(words),
            code,
            ..Self::default()
        }
    }

    /// There is no answer, for a reason of ours.
    pub fn unanswered(reason: &str) -> Self {
        Self {
            reason: reason.to_owned(),
            how: How::Unanswered,
            ..Self::default()
        }
    }

    /// Does it concern every message alike, and not this one?
    fn of_service(&self) -> bool {
        self.how == How::Unsent || matches!(self.status, Some(401 | 403 | 429))
    }
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    pub settle: Settle,
    /// Somebody has to act, or nothing of this kind will be delivered.
    pub alert: bool,
}

/// Pauses between tries.
#[derive(Debug, Clone, Copy)]
pub struct Pauses {
    /// After the first failed try; four times as long after each further one.
    pub first: Duration,
    /// The longest.
    pub max: Duration,
    /// When a send with an unknown outcome is looked up, after it ended.
    pub lookups: [Duration; 2],
    /// How long a person's next message waits for the one before to be reported as sent.
    pub order: Duration,
}

impl Default for Pauses {
    /// 1, 4, 16, 64, 256 s: six tries span almost six minutes.
    fn default() -> Self {
        Self {
            first: Duration::from_secs(1),
            max: Duration::from_secs(300),
            lookups: [Duration::from_secs(2), Duration::from_secs(6)],
            order: Duration::from_secs(5),
        }
    }
}

impl Pauses {
    /// The pause after so many tries, give or take a quarter, so that many don't come back at once.
    pub(super) fn after(&self, tries: u32) -> Duration {
        let factor = 4_u32.saturating_pow(tries.saturating_sub(1).min(10));
        let pause = self.first.saturating_mul(factor).min(self.max);
        pause.mul_f64(0.75 + fastrand::f64() / 2.0)
    }

    fn limited(&self, tries: u32) -> Duration {
        let factor = 2_u32.saturating_pow(tries.saturating_sub(1).min(10));
        let pause = (self.first / 2).saturating_mul(factor).min(LIMITED_PAUSE_MAX);
        pause.mul_f64(0.75 + fastrand::f64() / 2.0)
    }
}

/// What follows for `outbound` from `trouble`.
pub(super) fn decide(
    outbound: &Outbound,
    trouble: &Trouble,
    now: Timestamp,
    tries_max: u32,
    pauses: &Pauses,
) -> Decision {
    let row = trouble.code.as_deref().and_then(codes::find);
    let reaction = match trouble.how {
        How::Unsent | How::Unanswered => Reaction::Retry,
        How::Answered => codes::reaction(trouble.code.as_deref(), trouble.status),
    };
    let fail = |alert| Decision {
        settle: Settle::Failed {
            code: trouble.code.clone(),
            reason: trouble.reason.clone(),
        },
        alert,
    };
    let again = |after: Duration, alert| Decision {
        settle: Settle::Retry {
            after: after
                .max(trouble.retry_after.unwrap_or_default())
                .max(Duration::from_secs(row.map_or(0, |row| row.pause_secs))),
            code: trouble.code.clone(),
            reason: trouble.reason.clone(),
        },
        alert,
    };
    let tries = outbound.attempts;
    let stale = now.duration_since(outbound.created_at) > STALE_AFTER;
    let tired = tries >= row.and_then(|row| row.tries).unwrap_or(tries_max).min(tries_max);
    match reaction {
        _ if stale => fail(false),
        // The service as a whole: the message is not to blame, and its tries are not counted.
        Reaction::Retry if trouble.of_service() => again(
            if trouble.status == Some(429) {
                pauses.limited(tries)
            } else {
                pauses.after(tries)
            },
            false,
        ),
        Reaction::Alert if trouble.of_service() => again(REFUSED_PAUSE, true),
        Reaction::Wait => again(pauses.after(tries), true),
        Reaction::Throttle => again(pauses.after(tries), false),
        Reaction::Retry if tired => Decision {
            settle: Settle::Failed {
                code: trouble.code.clone(),
                reason: format!("given up after {tries} tries. {}", trouble.reason),
            },
            alert: false,
        },
        Reaction::Retry => again(pauses.after(tries), false),
        Reaction::Template if outbound.message.template.is_some() && !outbound.templated => Decision {
            settle: Settle::Templated {
                reason: trouble.reason.clone(),
            },
            alert: false,
        },
        Reaction::Template => Decision {
            settle: Settle::Window {
                reason: trouble.reason.clone(),
            },
            alert: false,
        },
        Reaction::Reformat => match shorter(outbound) {
            Some(body) => Decision {
                settle: Settle::Shrunk { body },
                alert: false,
            },
            None => fail(true),
        },
        Reaction::Drop | Reaction::Fallback => fail(false),
        Reaction::Alert | Reaction::Fix => fail(true),
    }
}

/// The text simpler and shorter, the first time; None when it already is.
fn shorter(outbound: &Outbound) -> Option<String> {
    let body = &outbound.message.body;
    let short = format::whatsapp::shorten(&format::plain(body), SHORTER_UNITS_MAX);
    (!outbound.shrunk && short != *body && !short.trim().is_empty()).then_some(short)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::domain::message::Address;
    use crate::domain::outbound::{Delivery, NewOutbound, Purpose};

    fn outbound(attempts: u32, body: &str) -> Outbound {
        Outbound {
            id: Uuid::nil(),
            message: NewOutbound {
                conversation: "c".into(),
                to: Address::parse("whatsapp:+56980000022").unwrap(),
                from: "whatsapp:+14155238886".into(),
                body: body.into(),
                purpose: Purpose::Reply,
                answers: Vec::new(),
                suggestions: Vec::new(),
                template: None,
                media: None,
            },
            delivery: Delivery::Sending,
            sid: None,
            attempts,
            shrunk: false,
            templated: false,
            error_code: None,
            reason: None,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn trouble(code: &str, status: u16) -> Trouble {
        Trouble {
            code: (!code.is_empty()).then(|| code.to_owned()),
            status: (status > 0).then_some(status),
            ..Trouble::default()
        }
    }

    fn on(attempts: u32, trouble: &Trouble) -> Decision {
        decide(
            &outbound(attempts, &"palabra ".repeat(180)),
            trouble,
            Timestamp::UNIX_EPOCH,
            6,
            &Pauses::default(),
        )
    }

    fn pause(decision: &Decision) -> u64 {
        match &decision.settle {
            Settle::Retry { after, .. } => after.as_secs(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_code_has_its_consequence() {
        // Code, HTTP status (0: reported later), tries so far, what follows, whether somebody must act.
        for (code, status, tries, follows, alert) in [
            ("20429", 429, 1, "retry", false),
            ("20429", 429, 50, "retry", false),
            ("20003", 401, 50, "retry", true),
            ("20006", 403, 50, "retry", true),
            ("20500", 500, 5, "retry", false),
            ("20500", 500, 6, "failed", false),
            ("", 502, 1, "retry", false),
            ("", 400, 1, "failed", false),
            ("99999", 400, 1, "failed", false),
            ("21211", 400, 1, "failed", false),
            ("63007", 400, 1, "failed", true),
            ("21602", 400, 1, "failed", true),
            ("21617", 400, 1, "shrunk", false),
            ("63005", 0, 1, "shrunk", false),
            ("63016", 0, 1, "window", false),
            ("470", 0, 1, "window", false),
            ("63018", 0, 1, "retry", false),
            ("63009", 0, 2, "retry", false),
            ("63009", 0, 3, "failed", false),
            ("63023", 0, 2, "failed", false),
            ("63014", 0, 1, "failed", false),
            ("63015", 0, 1, "failed", false),
            ("InvalidSandboxRequest", 0, 1, "failed", false),
            ("63038", 429, 1, "retry", true),
            ("14107", 0, 1, "retry", false),
            ("63019", 0, 1, "failed", false),
            ("", 0, 1, "failed", false),
        ] {
            let decision = on(tries, &trouble(code, status));
            let name = match decision.settle {
                Settle::Retry { .. } => "retry",
                Settle::Failed { .. } => "failed",
                Settle::Shrunk { .. } => "shrunk",
                Settle::Window { .. } => "window",
                Settle::Templated { .. } => "templated",
                Settle::Accepted { .. } => "accepted",
            };
            assert_eq!((name, decision.alert), (follows, alert), "{code} {status} {tries}");
        }
    }

    #[test]
    fn pauses_grow_and_keep_to_the_least_that_a_code_or_twilio_wants() {
        let server = trouble("20500", 500);
        assert!(pause(&on(1, &server)) <= 1);
        assert!((12..=20).contains(&pause(&on(3, &server))));
        assert!(pause(&on(1, &trouble("63018", 0))) >= 6);
        assert!(pause(&on(1, &trouble("63038", 429))) >= 3600);
        let limited = Trouble {
            retry_after: Some(Duration::from_secs(9)),
            ..trouble("20429", 429)
        };
        assert!(pause(&on(1, &limited)) >= 9);
        assert!(pause(&on(30, &trouble("20429", 429))) <= 38);
    }

    #[test]
    fn a_service_that_is_down_costs_no_tries_until_the_answer_is_stale() {
        let unsent = Trouble {
            how: How::Unsent,
            ..Trouble::default()
        };
        assert!(matches!(on(99, &unsent).settle, Settle::Retry { .. }));
        let later = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(25);
        let decision = decide(&outbound(1, "x"), &unsent, later, 6, &Pauses::default());
        assert!(matches!(decision.settle, Settle::Failed { .. }));
    }

    #[test]
    fn a_text_is_shrunk_once_and_only_if_that_makes_it_shorter() {
        let long = trouble("21617", 400);
        let Settle::Shrunk { body } = on(1, &long).settle else {
            panic!()
        };
        assert!(body.encode_utf16().count() <= SHORTER_UNITS_MAX);
        let again = Outbound {
            shrunk: true,
            ..outbound(2, &"palabra ".repeat(180))
        };
        let now = Timestamp::UNIX_EPOCH;
        assert!(matches!(
            decide(&again, &long, now, 6, &Pauses::default()).settle,
            Settle::Failed { .. }
        ));
        let short = decide(&outbound(1, "corto"), &long, now, 6, &Pauses::default());
        assert!(short.alert && matches!(short.settle, Settle::Failed { .. }));
    }
}
