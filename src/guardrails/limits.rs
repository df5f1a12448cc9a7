//! How much one turn may do.

use super::{Reason, Verdict};

/// The engine's limits, each with its unit in its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Characters of a turn's text that are read.
    pub text_chars_max: usize,
    /// Calls of tools in one step.
    pub step_calls_max: usize,
    /// Calls of tools in one turn.
    pub turn_calls_max: usize,
    /// Milliseconds that one call may take; what is late is said to be, and the rest stands.
    pub call_ms_max: u64,
    /// Bytes of one call's result; a longer one loses whole rows at its end.
    pub result_bytes_max: usize,
    /// Questions of one message that are answered.
    pub questions_max: usize,
    /// Sites or tasks of one question that are answered one by one.
    pub subjects_max: usize,
    /// Minutes that a shared position stands for where somebody is.
    pub position_mins: i64,
    /// List positions kept for *la tercera*.
    pub shown_max: usize,
    /// Seconds that a preview waits for its yes, on the machine's clock.
    pub pending_secs: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_chars_max: 4000,
            step_calls_max: 10,
            turn_calls_max: 50,
            call_ms_max: 5_000,
            result_bytes_max: 512 * 1024,
            questions_max: 3,
            subjects_max: 5,
            position_mins: 120,
            shown_max: 200,
            pending_secs: 600,
        }
    }
}

impl Limits {
    /// May one more call run, after `in_step` of this step and `in_turn` of this turn?
    pub fn call(&self, in_step: usize, in_turn: usize) -> Verdict {
        if in_turn >= self.turn_calls_max {
            Verdict::Refuse(Reason::CallsPerTurn)
        } else if in_step >= self.step_calls_max {
            Verdict::Refuse(Reason::CallsPerStep)
        } else {
            Verdict::Allow
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eleventh_call_of_a_step_and_the_fifty_first_of_a_turn_are_refused() {
        let limits = Limits::default();
        assert_eq!(limits.call(9, 49), Verdict::Allow);
        assert_eq!(limits.call(10, 10), Verdict::Refuse(Reason::CallsPerStep));
        assert_eq!(limits.call(0, 50), Verdict::Refuse(Reason::CallsPerTurn));
    }
}
