//! The certificate as people and as programs read it.

use std::fmt::Write;

use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation;

use super::Certificate;

/// Longest account of what was there instead, characters.
const GOT_CHARS_MAX: usize = 600;

/// The table, what was wrong, and the verdict.
pub fn table(certificate: &Certificate) -> String {
    let mut out = String::new();
    let width = |text: &str| text.graphemes(true).count();
    let widest = certificate
        .sections
        .iter()
        .map(|s| width(s.category))
        .max()
        .unwrap_or(0);
    for section in &certificate.sections {
        let pad = " ".repeat(widest.saturating_sub(width(section.category)));
        let passed = format!("{}/{}", section.passed(), section.cases.len());
        let _ = writeln!(
            out,
            "{}{pad}  {passed:>7}  {:>6} ms",
            section.category,
            section.took.as_millis()
        );
    }
    for section in &certificate.sections {
        for case in section.cases.iter().filter(|case| !case.misses.is_empty()) {
            let _ = writeln!(out, "\n{}: {}", section.category, case.id);
            for miss in &case.misses {
                let got: String = miss.got.chars().take(GOT_CHARS_MAX).collect();
                let got = got.replace('\n', "\n            ");
                let _ = writeln!(out, "  question: {}", miss.question);
                let _ = writeln!(out, "  expected: {}", miss.expected);
                let _ = writeln!(out, "  got:      {got}");
            }
        }
    }
    let _ = writeln!(
        out,
        "\n{}: {}/{} in {} ms",
        verdict(certificate),
        certificate.passed(),
        certificate.total(),
        certificate.took.as_millis()
    );
    out
}

fn verdict(certificate: &Certificate) -> &'static str {
    if certificate.holds() {
        "CERTIFIED"
    } else {
        "NOT CERTIFIED"
    }
}

/// The same as one JSON object.
pub fn json(certificate: &Certificate) -> Value {
    let ms = |took: std::time::Duration| u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let sections = certificate.sections.iter();
    let failures = certificate.sections.iter().flat_map(|section| {
        section.cases.iter().flat_map(move |case| {
            case.misses.iter().map(move |miss| {
                json!({
                    "category": section.category,
                    "case": case.id,
                    "question": miss.question,
                    "expected": miss.expected,
                    "got": miss.got,
                })
            })
        })
    });
    json!({
        "verdict": if certificate.holds() { "certified" } else { "not_certified" },
        "passed": certificate.passed(),
        "total": certificate.total(),
        "ms": ms(certificate.took),
        "categories": sections.map(|section| json!({
            "category": section.category,
            "passed": section.passed(),
            "total": section.cases.len(),
            "ms": ms(section.took),
        })).collect::<Vec<_>>(),
        "failures": failures.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Miss, Ran, Section};
    use super::*;

    #[test]
    fn a_failure_is_told_with_question_expectation_and_what_came() {
        let miss = Miss {
            question: "estado sitio 2".to_owned(),
            expected: "says `3 tareas`".to_owned(),
            got: "4 tareas".to_owned(),
        };
        let ran = |id: &str, misses| Ran {
            id: id.to_owned(),
            misses,
        };
        let certificate = Certificate {
            sections: vec![Section {
                category: "Sites",
                cases: vec![ran("good", vec![]), ran("bad", vec![miss])],
                took: Duration::from_millis(3),
            }],
            took: Duration::from_millis(4),
        };
        let text = table(&certificate);
        for part in [
            "Sites",
            "1/2",
            "bad",
            "estado sitio 2",
            "3 tareas",
            "4 tareas",
            "NOT CERTIFIED",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("good"));
        let printed = json(&certificate);
        assert_eq!(printed["verdict"], "not_certified");
        assert_eq!(printed["failures"][0]["case"], "bad");
        assert_eq!(printed["categories"][0]["passed"], 1);
    }
}
