//! Opt-out: STOP, ALTO and BAJA as a whole message stop the relay, INICIO or START resume it.
//!
//! *alta* and *baja* are also criticalities, so nothing here acts while a question of ours is
//! open, and ALTO and BAJA, which are words of the trade, are asked back once (`DESIGN.md`).

use crate::domain::text::fold;

/// What the relay itself does with a message, before the engine sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Nothing: the engine answers.
    Engine,
    /// Asks whether the person means it.
    AskBack,
    /// Stops, and says how to resume.
    Stop,
    /// Resumes.
    Resume,
    /// The person has opted out: they are told how to resume.
    Remind,
}

/// How the conversation stands.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    /// The person has opted out.
    pub opted_out: bool,
    /// ALTO or BAJA was asked back with our last message.
    pub asked_back: bool,
    /// A question of ours is open.
    pub question_open: bool,
}

/// Decides by the whole text of a message.
pub fn consent(text: &str, standing: Standing) -> Consent {
    let folded = fold(text);
    let word = folded.trim_matches(|c: char| !c.is_alphanumeric());
    if standing.opted_out {
        return if matches!(word, "inicio" | "start") {
            Consent::Resume
        } else {
            Consent::Remind
        };
    }
    if standing.asked_back {
        return if matches!(word, "baja" | "alto" | "stop" | "si") {
            Consent::Stop
        } else {
            Consent::Engine
        };
    }
    if standing.question_open {
        return Consent::Engine;
    }
    match word {
        "stop" => Consent::Stop,
        "alto" | "baja" => Consent::AskBack,
        _ => Consent::Engine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRESH: Standing = Standing {
        opted_out: false,
        asked_back: false,
        question_open: false,
    };

    #[test]
    fn a_stop_word_counts_only_as_a_whole_message() {
        assert_eq!(consent(" STOP ", FRESH), Consent::Stop);
        assert_eq!(consent("Baja.", FRESH), Consent::AskBack);
        for text in [
            "tareas de criticidad baja",
            "stop de reloj en la T-10001",
            "no hay",
            "alta",
        ] {
            assert_eq!(consent(text, FRESH), Consent::Engine, "{text}");
        }
    }

    #[test]
    fn baja_answers_our_open_question_instead_of_leaving() {
        assert_eq!(
            consent(
                "baja",
                Standing {
                    question_open: true,
                    ..FRESH
                }
            ),
            Consent::Engine
        );
    }

    #[test]
    fn a_second_word_confirms_and_anything_else_goes_on() {
        let asked = Standing {
            asked_back: true,
            ..FRESH
        };
        assert_eq!(consent("BAJA", asked), Consent::Stop);
        assert_eq!(consent("sí", asked), Consent::Stop);
        assert_eq!(consent("estado sitio 2", asked), Consent::Engine);
    }

    #[test]
    fn who_left_is_told_how_to_come_back_and_comes_back() {
        let gone = Standing {
            opted_out: true,
            ..FRESH
        };
        assert_eq!(consent("estado sitio 2", gone), Consent::Remind);
        assert_eq!(consent("Inicio", gone), Consent::Resume);
    }
}
