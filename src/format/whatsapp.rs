//! WhatsApp text: pages of at most 1500 characters, the most critical first.
//!
//! A page is the lead (on the first), items ranked by severity and numbered through, the notes,
//! the footer with sources and times, and, when something is missing, how many and that `MÁS`
//! brings them. Titles and headings are bold; data is shown as it is and never works as markup.

use serde::{Deserialize, Serialize};

use crate::domain::answer::{Answer, Item, Line};

use super::cut::{cut, units};
use super::neutral::{neutral, neutral_title};
use super::paging::{Block, Document, Kind};
use super::phrases;

/// The longest page, in UTF-16 units and so in characters too. WhatsApp takes 1600; Twilio may
/// count some characters as several, hence the margin.
pub const PAGE_UNITS_MAX: usize = 1500;

/// The longest heading of a group.
const HEADING_UNITS_MAX: usize = 120;
/// The longest footer: it stands on every page.
const FOOTER_UNITS_MAX: usize = 300;

/// One message, and what `MÁS` brings after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// What is sent.
    pub text: String,
    /// The pages after it; None when this is the last.
    pub rest: Option<Rest>,
}

/// Pages not yet shown; kept in the memory of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rest {
    pages: Vec<String>,
}

impl Rest {
    /// The next page.
    pub fn page(self) -> Page {
        let mut pages = self.pages.into_iter();
        Page {
            text: pages.next().unwrap_or_default(),
            rest: Rest::of(pages.collect()),
        }
    }

    /// How many pages are left.
    pub fn count(&self) -> usize {
        self.pages.len()
    }

    fn of(pages: Vec<String>) -> Option<Self> {
        (!pages.is_empty()).then_some(Self { pages })
    }
}

/// The first page of an answer, with the rest.
pub fn first(answer: &Answer) -> Page {
    Rest { pages: pages(answer) }.page()
}

/// Every page of an answer, at least one.
pub fn pages(answer: &Answer) -> Vec<String> {
    document(answer).pages(PAGE_UNITS_MAX)
}

/// The answer on one page, however long.
pub fn full(answer: &Answer) -> String {
    document(answer).pages(usize::MAX).pop().unwrap_or_default()
}

/// The items in the order in which they are shown: by severity, else as the tool gave them.
pub fn ranked(answer: &Answer) -> Vec<&Item> {
    let mut items: Vec<&Item> = answer.items.iter().collect();
    items.sort_by_key(|item| item.severity);
    items
}

/// What the numbers of the list stand for: the third is what *la tercera* means.
pub fn subjects(answer: &Answer) -> Vec<Option<&str>> {
    let numbered = ranked(answer).into_iter().filter(|item| item.numbered);
    numbered.map(|item| item.subject.as_deref()).collect()
}

/// A finished text made to fit `max` units, its end cut off and said to be.
pub fn shorten(text: &str, max: usize) -> String {
    let mark = phrases().say("format.cut", &[]);
    match cut(text, max) {
        None => text.to_owned(),
        Some(_) => {
            let head = cut(text, max.saturating_sub(units(&mark) + 1)).map_or(text, |(head, _)| head);
            format!("{head}\n{mark}")
        }
    }
}

fn document(answer: &Answer) -> Document {
    let mut blocks: Vec<Block> = answer.lead.iter().filter_map(line).collect();
    let mut number = answer.before;
    blocks.extend(ranked(answer).into_iter().map(|item| {
        number += usize::from(item.numbered);
        let mark = if item.numbered {
            format!("{number}. ")
        } else {
            "- ".to_owned()
        };
        // No indent under the number: a phone wraps its lines at the edge anyway.
        let text = format!("{mark}{}", neutral(&item.text).trim());
        Block::new(Kind::Item(item.severity), text, item.group.as_deref().and_then(heading))
    }));
    let notes = answer.notes.iter().map(|note| neutral(note).trim().to_owned());
    Document {
        blocks,
        notes: notes
            .filter(|note| !note.is_empty())
            .map(|note| Block::new(Kind::Note, note, None))
            .collect(),
        footer: at_most(neutral(&answer.footer).trim(), FOOTER_UNITS_MAX),
        beyond: answer.beyond,
    }
}

/// A lead line; an empty one shows nothing, and a title too long for a page is no title.
fn line(line: &Line) -> Option<Block> {
    let title = line.title.then(|| bold(&line.text)).flatten();
    match title.filter(|title| units(title) <= PAGE_UNITS_MAX / 2) {
        Some(title) => Some(Block::new(Kind::Title, title, None)),
        None => {
            let text = neutral(&line.text).trim().to_owned();
            (!text.is_empty()).then(|| Block::new(Kind::Line, text, None))
        }
    }
}

fn heading(group: &str) -> Option<String> {
    bold(&at_most(group.trim(), HEADING_UNITS_MAX))
}

fn bold(text: &str) -> Option<String> {
    let text = neutral_title(text);
    (!text.is_empty()).then(|| format!("*{text}*"))
}

fn at_most(text: &str, max: usize) -> String {
    cut(text, max).map_or_else(|| text.to_owned(), |(head, _)| format!("{head}…"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::answer::Severity;

    fn item(text: &str, severity: Severity) -> Item {
        Item {
            text: text.to_owned(),
            severity,
            group: None,
            subject: Some(text.split(' ').next().unwrap().to_owned()),
            numbered: true,
        }
    }

    #[test]
    fn a_short_answer_is_one_page_of_plain_lines() {
        let answer = Answer::text("SITE-002 Torre Arica")
            .line("3 tareas activas")
            .line("0 alarmas críticas")
            .line("Acceso: autorizado");
        let page = first(&answer);
        assert_eq!(
            page.text,
            "SITE-002 Torre Arica\n3 tareas activas\n0 alarmas críticas\nAcceso: autorizado"
        );
        assert_eq!(page.rest, None);
    }

    #[test]
    fn everything_has_its_place() {
        let answer = Answer {
            items: vec![
                Item {
                    group: Some("Arica".into()),
                    ..item("T-10002 media\nsegunda línea", Severity::Normal)
                },
                Item {
                    group: Some("Iquique".into()),
                    ..item("T-10001 crítica", Severity::Critical)
                },
                Item {
                    group: Some("Iquique".into()),
                    numbered: false,
                    ..item("sin número", Severity::Critical)
                },
            ],
            beyond: 4,
            notes: vec!["Sólo las activas.".into()],
            footer: "Tareas, 14:02".into(),
            ..Answer::default().title("Tareas de zona norte").line("7 en total")
        };
        insta::assert_snapshot!(first(&answer).text, @r"
        *Tareas de zona norte*
        7 en total

        *Iquique*
        1. T-10001 crítica
        - sin número

        *Arica*
        2. T-10002 media
        segunda línea

        Sólo las activas.

        Tareas, 14:02

        Faltan 4. Responde MÁS para seguir.
        ");
        assert_eq!(subjects(&answer), [Some("T-10001"), Some("T-10002")]);
    }

    #[test]
    fn a_long_list_goes_on_where_it_stopped() {
        let severities = [Severity::Normal, Severity::Critical, Severity::High];
        let answer = Answer {
            items: (0..60)
                .map(|n| {
                    item(
                        &format!("T-{} Falla de energía en sala de equipos", 10000 + n),
                        severities[n % 3],
                    )
                })
                .collect(),
            notes: vec!["Cuenta las activas.".into()],
            footer: "Tareas, 14:02".into(),
            ..Answer::default().title("60 tareas")
        };
        let pages = pages(&answer);
        assert_eq!(pages.len(), 3);
        assert!(pages[0].starts_with("*60 tareas*\n\n1. T-10001 "));
        assert!(
            pages[0].contains("\n\nCuenta las activas.\n\nTareas, 14:02\n\nFaltan 31. Responde MÁS para seguir."),
            "{}",
            pages[0]
        );
        assert!(pages[1].starts_with("30. T-"), "{}", pages[1]);
        assert!(pages[2].ends_with("60. T-10057 Falla de energía en sala de equipos\n\nTareas, 14:02"));
        let mut page = first(&answer);
        let mut seen = vec![page.text];
        while let Some(rest) = page.rest {
            page = serde_json::from_value::<Rest>(serde_json::to_value(rest).unwrap())
                .unwrap()
                .page();
            seen.push(page.text);
        }
        assert_eq!(seen, pages);
        assert!(full(&answer).contains("\n60. T-10057"));
    }

    #[test]
    fn notes_never_push_something_critical_off_the_first_page() {
        let answer = Answer {
            items: (0..40)
                .map(|n| item(&format!("T-{} {}", 10000 + n, "x".repeat(80)), Severity::Critical))
                .collect(),
            notes: vec!["una nota".into()],
            ..Answer::default()
        };
        let pages = pages(&answer);
        assert!(!pages[0].contains("una nota"));
        assert!(pages.last().unwrap().ends_with("una nota"));
    }

    #[test]
    fn one_item_longer_than_a_page_goes_on_over_the_next() {
        let long = (0..400).map(|n| format!("SITE-{n:03}")).collect::<Vec<_>>().join(" ");
        let answer = Answer {
            items: vec![item(&long, Severity::High), item("T-10001 corta", Severity::Low)],
            ..Answer::text("Sitios")
        };
        let pages = pages(&answer);
        assert_eq!(pages.len(), 3);
        assert!(
            pages[0].starts_with("Sitios\n\n1. SITE-000 ")
                && pages[0].ends_with("\n\nFaltan 2. Responde MÁS para seguir.")
        );
        assert!(pages[2].ends_with("\n2. T-10001 corta"));
        let words = pages.join(" ");
        assert!((0..400).all(|n| {
            words
                .split_whitespace()
                .filter(|w| *w == format!("SITE-{n:03}"))
                .count()
                == 1
        }));
    }

    #[test]
    fn a_long_paragraph_says_that_it_goes_on() {
        let pages = pages(&Answer::text("palabra ".repeat(300)));
        assert!(pages[0].ends_with("palabra\n\nSigue. Responde MÁS para seguir."));
        assert_eq!(pages.len(), 2);
    }

    #[test]
    fn a_text_is_shortened_with_a_word_about_it() {
        let text = shorten(&"línea de prueba\n".repeat(100), 200);
        assert!(
            units(&text) <= 200 && text.ends_with("prueba\n… (texto recortado)"),
            "{text}"
        );
        assert_eq!(shorten("corto", 200), "corto");
    }
}
