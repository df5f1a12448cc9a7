//! When a person may be sent the next message: the sender's pause, order, and a guard against loops.
//!
//! Messages that Twilio has accepted one after the other can overtake each other on the way to
//! the phone, so the next one waits until the one before is reported as sent, for a while.
//!
//! Two programs that answer each other would do so for ever; Twilio stops them at about 15
//! messages in 30 s between two numbers (14107). We stop before.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::domain::message::Address;

/// Messages to one person within `LOOP_SPAN`.
const LOOP_MESSAGES_MAX: usize = 14;
/// The span that they are counted in.
const LOOP_SPAN: Duration = Duration::from_secs(30);
/// People kept in mind before the quiet ones are forgotten.
const PEOPLE_MAX: usize = 10_000;

/// Sends of late, by recipient.
#[derive(Default)]
pub(super) struct Pace {
    recent: HashMap<Address, VecDeque<Instant>>,
    /// Accepted and not yet reported as sent: which message, and until when it is waited for.
    on_its_way: HashMap<Address, (Uuid, Instant)>,
}

/// May it go now?
#[derive(Debug, PartialEq, Eq)]
pub(super) enum May {
    Now,
    /// Not before then; `looping` when the guard says so and not the sender's pause.
    Later {
        at: Instant,
        looping: bool,
    },
}

impl Pace {
    pub fn ask(&self, to: &Address, gap: Duration, now: Instant) -> May {
        if let Some((_, until)) = self.on_its_way.get(to).filter(|(_, until)| *until > now) {
            return May::Later {
                at: *until,
                looping: false,
            };
        }
        let Some(sends) = self.recent.get(to) else {
            return May::Now;
        };
        let after_gap = sends.back().map(|last| *last + gap).filter(|at| *at > now);
        let oldest = sends.len().checked_sub(LOOP_MESSAGES_MAX).and_then(|at| sends.get(at));
        let after_loop = oldest.map(|at| *at + LOOP_SPAN).filter(|at| *at > now);
        match (after_gap, after_loop) {
            (None, None) => May::Now,
            (gap, Some(at)) if gap.is_none_or(|gap| gap < at) => May::Later { at, looping: true },
            (Some(at), _) | (None, Some(at)) => May::Later { at, looping: false },
        }
    }

    /// The message is accepted; the next one waits for it until then.
    pub fn accepted(&mut self, to: &Address, id: Uuid, until: Instant) {
        if self.on_its_way.len() >= PEOPLE_MAX {
            let now = Instant::now();
            self.on_its_way.retain(|_, (_, until)| *until > now);
        }
        self.on_its_way.insert(to.clone(), (id, until));
    }

    /// The message is on the phone or never will be. Was it waited for?
    pub fn arrived(&mut self, to: &Address, id: Uuid) -> bool {
        let waited = self.on_its_way.get(to).is_some_and(|(waited, _)| *waited == id);
        waited && self.on_its_way.remove(to).is_some()
    }

    pub fn sent(&mut self, to: &Address, gap: Duration, now: Instant) {
        if self.recent.len() >= PEOPLE_MAX {
            let keep = LOOP_SPAN.max(gap);
            self.recent
                .retain(|_, sends| sends.back().is_some_and(|last| now.duration_since(*last) < keep));
        }
        let sends = self.recent.entry(to.clone()).or_default();
        if sends.len() >= LOOP_MESSAGES_MAX {
            sends.pop_front();
        }
        sends.push_back(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_paused_by_the_gap_and_nobody_else_is() {
        let (ana, luis) = (address("22"), address("33"));
        let (gap, start) = (Duration::from_secs(3), Instant::now());
        let mut pace = Pace::default();
        pace.sent(&ana, gap, start);
        let at = start + gap;
        assert_eq!(pace.ask(&ana, gap, start), May::Later { at, looping: false });
        assert_eq!(pace.ask(&luis, gap, start), May::Now);
        assert_eq!(pace.ask(&ana, gap, at), May::Now);
    }

    #[test]
    fn a_loop_is_stopped_before_twilio_does() {
        let (ana, start) = (address("22"), Instant::now());
        let mut pace = Pace::default();
        for n in 0..LOOP_MESSAGES_MAX as u64 {
            let now = start + Duration::from_secs(n);
            assert_eq!(pace.ask(&ana, Duration::ZERO, now), May::Now);
            pace.sent(&ana, Duration::ZERO, now);
        }
        let now = start + Duration::from_secs(20);
        let at = start + LOOP_SPAN;
        assert_eq!(pace.ask(&ana, Duration::ZERO, now), May::Later { at, looping: true });
        assert_eq!(pace.ask(&ana, Duration::ZERO, at), May::Now);
    }

    #[test]
    fn the_next_message_waits_for_the_one_before_to_arrive_but_not_for_ever() {
        let (ana, start) = (address("22"), Instant::now());
        let (id, until) = (Uuid::from_u128(1), start + Duration::from_secs(5));
        let mut pace = Pace::default();
        pace.accepted(&ana, id, until);
        assert_eq!(
            pace.ask(&ana, Duration::ZERO, start),
            May::Later {
                at: until,
                looping: false
            }
        );
        assert!(!pace.arrived(&ana, Uuid::from_u128(2)));
        assert_eq!(pace.ask(&ana, Duration::ZERO, until), May::Now);
        assert!(pace.arrived(&ana, id));
        assert_eq!(pace.ask(&ana, Duration::ZERO, start), May::Now);
    }

    fn address(last: &str) -> Address {
        Address::parse(&format!("whatsapp:+569800000{last}")).unwrap()
    }
}
