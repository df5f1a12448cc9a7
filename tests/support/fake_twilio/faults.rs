//! What goes wrong: scripted for the next calls, or now and then by chance with a seed.

use std::collections::VecDeque;
use std::time::Duration;

use super::wire::Answer;

/// Which call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// POST Messages.json
    Send,
    /// GET Messages.json
    List,
    /// GET a message
    Message,
    /// GET a message's Media.json
    MediaList,
    /// GET a file, first hop
    Media,
    /// GET a file, where the redirect leads
    Store,
    /// POST the typing indicator
    Typing,
    /// GET the account
    Account,
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Refused before anything happened, with Twilio's code (0: none).
    Refuse(u16, u32),
    /// 429 with Retry-After.
    Limited(u64),
    /// Done, and then answered with this status.
    DoneThen(u16),
    /// Done, and then silence.
    DoneThenHang,
    /// Done, and then a reset.
    DoneThenReset,
    /// Done, and then half an answer.
    DoneThenBreakOff,
    /// A reset before anything happened.
    Reset,
    /// Silence, and nothing happened.
    Hang,
    /// Done, but late.
    Slow(Duration),
    /// Done at once and answered late, so that callbacks are faster.
    Late(Duration),
}

impl Fault {
    /// Does the call have its effect all the same?
    pub fn done(&self) -> bool {
        !matches!(self, Self::Refuse(..) | Self::Limited(_) | Self::Reset | Self::Hang)
    }

    /// Does the caller not learn what became of it?
    pub fn hides_effect(&self) -> bool {
        matches!(
            self,
            Self::DoneThen(_) | Self::DoneThenHang | Self::DoneThenReset | Self::DoneThenBreakOff
        )
    }

    /// The answer instead of the regular one.
    pub fn answer(&self) -> Option<Answer> {
        let error = |status: u16, code: u32| {
            let body = match code {
                0 => serde_json::json!({"message": "a fault", "status": status}),
                _ => serde_json::json!({"code": code, "message": "a fault", "more_info": "", "status": status}),
            };
            Answer::json(status, &body)
        };
        match self {
            Self::Refuse(status, code) => Some(error(*status, *code)),
            Self::Limited(seconds) => {
                let mut answer = error(429, 20429);
                if let Answer::Whole { headers, .. } = &mut answer {
                    headers.push(("Retry-After".into(), seconds.to_string()));
                }
                Some(answer)
            }
            Self::DoneThen(status) => Some(error(*status, 20500)),
            Self::DoneThenHang | Self::Hang => Some(Answer::Hang),
            Self::DoneThenReset | Self::Reset => Some(Answer::Reset),
            Self::DoneThenBreakOff => Some(Answer::BreakOff),
            Self::Slow(_) | Self::Late(_) => None,
        }
    }
}

/// The faults to come.
#[derive(Default)]
pub struct Faults {
    next: Vec<(Call, VecDeque<Fault>)>,
    /// Fault, which call, how often of a thousand.
    chances: Vec<(Call, Fault, u32)>,
    random: Option<fastrand::Rng>,
}

impl Faults {
    /// The next such call fails so; several are taken in order.
    pub fn next(&mut self, call: Call, fault: Fault) {
        match self.next.iter_mut().find(|(c, _)| *c == call) {
            Some((_, faults)) => faults.push_back(fault),
            None => self.next.push((call, [fault].into())),
        }
    }

    /// Such a call fails so, `permille` times of a thousand.
    pub fn sometimes(&mut self, seed: u64, call: Call, fault: Fault, permille: u32) {
        self.random.get_or_insert_with(|| fastrand::Rng::with_seed(seed));
        self.chances.push((call, fault, permille));
    }

    /// From now on everything works.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn take(&mut self, call: Call) -> Option<Fault> {
        let scripted = self.next.iter_mut().find(|(c, _)| *c == call);
        if let Some(fault) = scripted.and_then(|(_, faults)| faults.pop_front()) {
            return Some(fault);
        }
        let random = self.random.as_mut()?;
        let mut draw = random.u32(0..1000);
        for (of, fault, permille) in &self.chances {
            if *of != call {
                continue;
            }
            if draw < *permille {
                return Some(fault.clone());
            }
            draw -= permille;
        }
        None
    }
}
