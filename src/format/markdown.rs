//! Markdown for the web, from the same `Answer` and in the same order as the phone's text.

use std::borrow::Cow;

use crate::domain::answer::{Answer, Line};

use super::phrases;
use super::whatsapp::ranked;

/// The whole answer as CommonMark; data in it is escaped, so that only our markup works.
pub fn render(answer: &Answer) -> String {
    let mut parts: Vec<String> = Vec::new();
    let lead: Vec<String> = answer.lead.iter().filter_map(line).collect();
    if !lead.is_empty() {
        parts.push(lead.join("  \n"));
    }
    parts.extend(list(answer));
    parts.extend(
        answer
            .notes
            .iter()
            .map(|note| paragraph(note))
            .filter(|note| !note.is_empty()),
    );
    if answer.beyond > 0 {
        parts.push(phrases().say("format.more", &[("n", &answer.beyond)]));
    }
    let footer = one_line(&answer.footer);
    if !footer.is_empty() {
        parts.push(format!("*{footer}*"));
    }
    parts.join("\n\n")
}

/// The items, with a bold paragraph where the heading changes; numbers go on through.
fn list(answer: &Answer) -> Vec<String> {
    let mut parts = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    let mut group = None;
    let mut number = answer.before;
    for item in ranked(answer) {
        let heading = item
            .group
            .as_deref()
            .map(one_line)
            .filter(|heading| !heading.is_empty());
        if heading != group {
            if !lines.is_empty() {
                parts.push(std::mem::take(&mut lines).join("\n"));
            }
            parts.extend(heading.as_ref().map(|heading| format!("**{heading}**")));
            group = heading;
        }
        number += usize::from(item.numbered);
        let mark = if item.numbered {
            format!("{number}. ")
        } else {
            "- ".to_owned()
        };
        let indent = " ".repeat(mark.len());
        lines.push(format!(
            "{mark}{}",
            paragraph(&item.text).replace('\n', &format!("\n{indent}"))
        ));
    }
    if !lines.is_empty() {
        parts.push(lines.join("\n"));
    }
    parts
}

fn line(line: &Line) -> Option<String> {
    let text = if line.title {
        format!("**{}**", one_line(&line.text))
    } else {
        paragraph(&line.text)
    };
    (!line.text.trim().is_empty()).then_some(text)
}

/// Escaped, on one line.
fn one_line(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// Escaped, its line breaks kept; empty lines would end the list it stands in.
fn paragraph(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(escape).collect::<Vec<_>>().join("  \n")
}

/// One line with a backslash before whatever Markdown would obey.
fn escape(line: &str) -> Cow<'_, str> {
    let chars: Vec<char> = line.chars().filter(|c| !c.is_control()).collect();
    // Digits and a dot at the beginning are a list, and so are a dash or a plus.
    let digits = chars.iter().take_while(|c| c.is_ascii_digit()).count();
    let list_mark = (digits > 0 && chars.get(digits + 1).is_none_or(|c| *c == ' ')).then_some(digits);
    let mut out = String::with_capacity(line.len() + 8);
    for (at, &c) in chars.iter().enumerate() {
        let word = |i: Option<usize>| i.and_then(|i| chars.get(i)).is_some_and(|c| c.is_alphanumeric());
        let obeyed = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '&' => true,
            '_' => !(word(at.checked_sub(1)) && word(at.checked_add(1))),
            '#' | '-' | '+' | '=' => at == 0,
            '.' | ')' => list_mark == Some(at),
            '!' => chars.get(at + 1) == Some(&'['),
            _ => false,
        };
        if obeyed {
            out.push('\\');
        }
        out.push(c);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::answer::{Item, Severity};

    #[test]
    fn lists_and_titles_are_markdown_and_data_is_not() {
        let item = |text: &str, group: &str, numbered| Item {
            text: text.to_owned(),
            severity: Severity::Normal,
            group: Some(group.to_owned()),
            subject: None,
            numbered,
        };
        let answer = Answer {
            items: vec![
                item("T-10001 *urgente*\nver <b>x</b>", "Arica", true),
                item("CELDA_01_A", "Arica", false),
                item("# uno", "Iquique", true),
            ],
            beyond: 1,
            notes: vec!["1. no es lista".into()],
            footer: "Tareas, 14:02".into(),
            ..Answer::default().title("Tareas").line("12 críticas [ver](http://x)")
        };
        insta::assert_snapshot!(render(&answer).replace("  \n", "··\n"), @r"
        **Tareas**··
        12 críticas \[ver\](http://x)

        **Arica**

        1. T-10001 \*urgente\*··
           ver \<b\>x\</b\>
        - CELDA_01_A

        **Iquique**

        2. \# uno

        1\. no es lista

        Falta 1. Responde MÁS para seguir.

        *Tareas, 14:02*
        ");
    }
}
