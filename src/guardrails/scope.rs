//! May a question be acted on, is it to be asked back, or is it no talk of the trade?
//!
//! The figures come from the ranker: how well the best tool fits, how far the next is behind,
//! and whether the text names something of ours. They are measured by the report test of the
//! planner; the thresholds are where acting is right 97 times in 100 and talk that is not of
//! the trade is acted on less than 5 times in 100.

use super::{Reason, Verdict};

/// What is known of a question before anything runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// How well the best tool fits, 0 to 2.
    pub best: f32,
    /// How far the next different thing is behind.
    pub margin: f32,
    /// Share of the meaningful words that are words of the trade, 0 to 1.
    pub known: f32,
    /// The text names a site, a task or another record of ours.
    pub names_record: bool,
    /// The best fit of all is talk that is not of the trade.
    pub off: bool,
}

/// From here on a question is acted on, when it names a record of ours.
const ACT_NAMED: f32 = 0.62;
/// The same when it names none.
const ACT: f32 = 0.80;
/// What the next must be behind.
const MARGIN: f32 = 0.10;
/// What names no record is acted on only when so many of its words are of the trade: *alarmas*
/// are ours, *alarma del despertador* is not.
const KNOWN: f32 = 0.7;
/// From here on it is asked back.
const ASK: f32 = 0.45;

/// The verdict on a question.
pub fn judge(evidence: Evidence) -> Verdict {
    let Evidence {
        best,
        margin,
        known,
        names_record,
        off,
    } = evidence;
    if off {
        // Whoever names one of our sites or tasks talks of the trade, whatever else they say.
        return if names_record && best >= ASK {
            Verdict::Ask
        } else {
            Verdict::Refuse(Reason::OutOfScope)
        };
    }
    let act = if names_record { ACT_NAMED } else { ACT };
    if best >= act && margin >= MARGIN && (names_record || known >= KNOWN) {
        Verdict::Allow
    } else if best >= ASK || names_record {
        Verdict::Ask
    } else {
        Verdict::Refuse(Reason::OutOfScope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_a_record_is_never_out_of_scope_unless_nothing_fits() {
        let sure = Evidence {
            best: 1.2,
            margin: 0.5,
            known: 1.0,
            names_record: false,
            off: false,
        };
        assert_eq!(judge(sure), Verdict::Allow);
        assert_eq!(judge(Evidence { known: 0.5, ..sure }), Verdict::Ask);
        assert_eq!(judge(Evidence { margin: 0.01, ..sure }), Verdict::Ask);
        assert_eq!(
            judge(Evidence { best: 0.2, ..sure }),
            Verdict::Refuse(Reason::OutOfScope)
        );
        assert_eq!(
            judge(Evidence { off: true, ..sure }),
            Verdict::Refuse(Reason::OutOfScope)
        );
        assert_eq!(
            judge(Evidence {
                off: true,
                names_record: true,
                ..sure
            }),
            Verdict::Ask
        );
    }
}
