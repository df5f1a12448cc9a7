//! How many messages of one person are answered one by one in a minute.
//!
//! Nothing is refused: what comes faster waits in the inbox and is answered together, and its
//! sender is told once. Kept in memory: after a restart everybody starts with a clean slate.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The span that the limit counts over.
const WINDOW: Duration = Duration::from_secs(60);
/// People remembered at most; the idlest are forgotten first.
const PEOPLE_MAX: usize = 10_000;

/// The pace of every conversation.
pub struct Pace {
    answers_max: usize,
    people: Mutex<HashMap<String, Recent>>,
}

#[derive(Default)]
struct Recent {
    answered: Vec<Instant>,
    told: bool,
}

/// May the next answer go out?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Go,
    /// After this; `tell` once in a spell of haste.
    Wait {
        /// How long.
        after: Duration,
        /// Whether the sender has yet to be told.
        tell: bool,
    },
}

impl Pace {
    /// At most `answers_max` answers to one person in a minute; 0 means no limit.
    pub fn new(answers_max: u32) -> Self {
        Self {
            answers_max: usize::try_from(answers_max).unwrap_or(usize::MAX),
            people: Mutex::default(),
        }
    }

    /// Asks for one answer's place at `now`.
    pub fn ask(&self, conversation: &str, now: Instant) -> Verdict {
        if self.answers_max == 0 {
            return Verdict::Go;
        }
        // A poisoned lock means a panic in these few lines; the counts are still counts.
        let mut people = self.people.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if people.len() >= PEOPLE_MAX && !people.contains_key(conversation) {
            people.retain(|_, recent| recent.answered.iter().any(|at| now.duration_since(*at) < WINDOW));
            if people.len() >= PEOPLE_MAX {
                return Verdict::Go;
            }
        }
        let recent = people.entry(conversation.to_owned()).or_default();
        recent.answered.retain(|at| now.duration_since(*at) < WINDOW);
        if recent.answered.len() < self.answers_max {
            recent.answered.push(now);
            recent.told &= recent.answered.len() > self.answers_max / 2;
            return Verdict::Go;
        }
        let first = recent.answered.iter().min().copied().unwrap_or(now);
        let tell = !std::mem::replace(&mut recent.told, true);
        Verdict::Wait {
            after: WINDOW.saturating_sub(now.duration_since(first)),
            tell,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_hurries_waits_and_is_told_once() {
        let pace = Pace::new(2);
        let start = Instant::now();
        assert_eq!(pace.ask("a", start), Verdict::Go);
        assert_eq!(pace.ask("a", start + Duration::from_secs(1)), Verdict::Go);
        let at = start + Duration::from_secs(2);
        assert_eq!(
            pace.ask("a", at),
            Verdict::Wait {
                after: Duration::from_secs(58),
                tell: true
            }
        );
        assert_eq!(
            pace.ask("a", at),
            Verdict::Wait {
                after: Duration::from_secs(58),
                tell: false
            }
        );
        assert_eq!(pace.ask("b", at), Verdict::Go);
        assert_eq!(pace.ask("a", start + Duration::from_secs(60)), Verdict::Go);
    }
}
