//! Markdown off foreign text: what a model or a system wrote for another screen.
//!
//! Headings lose their marks, links become `label: url`, tables `Header: value` lines, fences
//! and emphasis go. What only looks like Markdown stays: a lone `|`, `5 * 3`, `CELDA_01_A`.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Passes after which text that still changes (markup nested without end) loses every marker.
const PASSES_MAX: usize = 16;

#[expect(clippy::unwrap_used, reason = "constant patterns, compiled by the tests")]
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"!?\[([^\[\]\n]*)\]\([ \t]*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:[ \t]+"[^"\n]*")?[ \t]*\)"#)
        .unwrap()
});
#[expect(clippy::unwrap_used, reason = "constant patterns, compiled by the tests")]
static AUTOLINK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<((?:https?://|mailto:|tel:)[^\s<>]+)>").unwrap());
#[expect(clippy::unwrap_used, reason = "constant patterns, compiled by the tests")]
static BREAK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)<br[ \t]*/?>").unwrap());

/// The text without Markdown; doing it twice changes nothing more.
pub fn plain(text: &str) -> String {
    let mut text = pass(&text.replace("\r\n", "\n").replace('\r', "\n"));
    for _ in 0..PASSES_MAX {
        let next = pass(&text);
        if next == text {
            return text;
        }
        text = next;
    }
    let markers = ['#', '*', '_', '~', '`', '|', '[', ']', '<', '>', '=', '-', '+'];
    pass(&text.replace(markers, ""))
}

fn pass(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += match table(lines.get(at..).unwrap_or_default()) {
            Some((rows, taken)) => {
                out.extend(rows);
                taken
            }
            None => {
                if let Some(line) = block_line(line) {
                    out.extend(inline(line).split('\n').map(|line| line.trim_end().to_owned()));
                }
                1
            }
        };
    }
    out.dedup_by(|next, previous| next.is_empty() && previous.is_empty());
    out.join("\n").trim_matches('\n').trim_end().to_owned()
}

/// A line without the marks of its block; None when it is nothing but marks.
fn block_line(line: &str) -> Option<String> {
    let trimmed = line.trim_start();
    let indent = line.get(..line.len() - trimmed.len()).unwrap_or_default();
    if is_fence(trimmed) || is_rule(trimmed) {
        return None;
    }
    let level = trimmed.bytes().take_while(|b| *b == b'#').count();
    if let Some(heading) = trimmed.get(level..).and_then(|rest| rest.strip_prefix(' '))
        && (1..=6).contains(&level)
    {
        return Some(heading.trim().trim_end_matches('#').trim_end().to_owned());
    }
    if let Some(quoted) = trimmed.strip_prefix("> ") {
        return Some(quoted.to_owned());
    }
    if trimmed.trim_end() == ">" {
        return Some(String::new());
    }
    match trimmed.strip_prefix("* ").or_else(|| trimmed.strip_prefix("+ ")) {
        Some(item) => Some(format!("{indent}- {item}")),
        None => Some(line.to_owned()),
    }
}

/// "```rust" alone; "```x```" in one line is a word in code.
fn is_fence(trimmed: &str) -> bool {
    ["```", "~~~"].iter().any(|fence| {
        let rest = trimmed.strip_prefix(fence);
        rest.is_some_and(|rest| !rest.contains(fence) && !rest.trim_end().contains(' '))
    })
}

/// `---`, `***`, `* * *`, and the `===` under a heading.
fn is_rule(trimmed: &str) -> bool {
    let mut marks = trimmed.chars().filter(|c| !c.is_whitespace());
    let Some(mark) = marks.next().filter(|c| matches!(c, '-' | '*' | '_' | '=')) else {
        return false;
    };
    let mut count = 1;
    marks.all(|c| {
        count += 1;
        c == mark
    }) && count >= 3
}

/// A table at the beginning of `lines`: its rows as lines, and how many lines it took.
fn table(lines: &[&str]) -> Option<(Vec<String>, usize)> {
    let (header, delimiter) = (lines.first()?, lines.get(1)?);
    let headers = cells(header)?;
    let columns = cells(delimiter)?;
    let is_delimiter = |cell: &String| {
        let dashes = cell.trim_matches(':');
        !dashes.is_empty() && dashes.bytes().all(|b| b == b'-')
    };
    if headers.len() != columns.len() || !columns.iter().all(is_delimiter) {
        return None;
    }
    let headers: Vec<String> = headers.into_iter().map(inline).collect();
    let rows: Vec<Vec<String>> = lines.iter().skip(2).map_while(|line| cells(line)).collect();
    let taken = 2 + rows.len();
    let mut out = Vec::new();
    for row in rows {
        out.push(String::new());
        let mut headers = headers.iter();
        for cell in row {
            let header = headers.next().map(String::as_str).unwrap_or_default();
            match (header, cell.as_str()) {
                (_, "") => {}
                ("", value) => out.push(value.to_owned()),
                (header, value) => out.push(format!("{header}: {value}")),
            }
        }
    }
    if taken == 2 {
        out.push(headers.join(" · "));
    }
    out.push(String::new());
    Some((out, taken))
}

/// The cells of a table's row; None for a line without a `|`.
fn cells(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    if !line.contains('|') {
        return None;
    }
    let inner = line.strip_prefix('|').unwrap_or(line);
    let inner = inner
        .strip_suffix('|')
        .filter(|rest| !rest.ends_with('\\'))
        .unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in inner.chars() {
        match c {
            '|' if !escaped => cells.push(String::new()),
            c => {
                if let Some(cell) = cells.last_mut() {
                    if c == '|' {
                        cell.pop();
                    }
                    cell.push(c);
                }
            }
        }
        escaped = c == '\\';
    }
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

fn inline(line: String) -> String {
    let mut line = line;
    if line.contains("](") {
        line = LINK.replace_all(&line, link).into_owned();
    }
    if line.contains('<') {
        line = AUTOLINK.replace_all(&line, "$1").into_owned();
        line = BREAK.replace_all(&line, "\n").into_owned();
    }
    line.retain(|c| c != '`');
    for marker in ['*', '_', '~'] {
        if line.contains(marker) {
            line = without_emphasis(&line, marker);
        }
    }
    line
}

fn link(found: &Captures<'_>) -> String {
    let part = |n| found.get(n).map_or("", |part: regex::Match<'_>| part.as_str().trim());
    match (part(1), part(2)) {
        ("", url) => url.to_owned(),
        (label, "") => label.to_owned(),
        (label, url) if label == url => url.to_owned(),
        (label, url) => format!("{label}: {url}"),
    }
}

/// Takes runs of the marker off where one opens (a border before, none after) and a later one
/// of the line closes; single ones and those inside words stay.
fn without_emphasis(line: &str, marker: char) -> String {
    let chars: Vec<char> = line.chars().collect();
    let mut kept = vec![true; chars.len()];
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        if *c != marker {
            at += 1;
            continue;
        }
        let run = chars.iter().skip(at).take_while(|c| **c == marker).count();
        let before = at.checked_sub(1).and_then(|i| chars.get(i));
        let after = chars.get(at + run);
        let closes = before.is_some_and(|c| !c.is_whitespace()) && after.is_none_or(|c| !c.is_alphanumeric());
        let opens = before.is_none_or(|c| !c.is_alphanumeric()) && after.is_some_and(|c| !c.is_whitespace());
        match open {
            Some((start, length)) if closes => {
                let taken = length.min(run);
                let marks = (start + length - taken..start + length).chain(at..at + taken);
                for mark in marks {
                    if let Some(kept) = kept.get_mut(mark) {
                        *kept = false;
                    }
                }
                open = None;
            }
            _ if opens => open = Some((at, run)),
            _ => {}
        }
        at += run;
    }
    chars
        .iter()
        .zip(kept)
        .filter_map(|(c, kept)| kept.then_some(*c))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_taken_off() {
        for (markdown, text) in [
            ("## Estado\n\nTodo **bien**", "Estado\n\nTodo bien"),
            (
                "Ver [el sitio](https://x.example/a_(b)).",
                "Ver el sitio: https://x.example/a_(b).",
            ),
            ("[https://x](https://x) <https://y>", "https://x https://y"),
            ("![foto](https://x/f.png \"título\")", "foto: https://x/f.png"),
            ("```rust\nlet x = 1;\n```", "let x = 1;"),
            ("```markdown\n# Título\n- uno\n```", "Título\n- uno"),
            ("* uno\n+ dos\n  * tres", "- uno\n- dos\n  - tres"),
            ("a\n\n---\n\nb", "a\n\nb"),
            ("Título\n=====\ntexto", "Título\ntexto"),
            ("> cita\n>\n> más", "cita\n\nmás"),
            (
                "usa `ls` y ***ya***, __hoy__ ~~no~~ *sí* _no_",
                "usa ls y ya, hoy no sí no",
            ),
            ("uno<br>dos", "uno\ndos"),
            ("# **Uno** #", "Uno"),
        ] {
            assert_eq!(plain(markdown), text);
        }
    }

    #[test]
    fn a_table_becomes_lines_of_header_and_value() {
        let table = "Tareas:\n| Id | **Estado** |\n|:---|---:|\n| T-10001 | a \\| b |\n| T-10002 | |\nfin";
        assert_eq!(
            plain(table),
            "Tareas:\n\nId: T-10001\nEstado: a | b\n\nId: T-10002\n\nfin"
        );
        assert_eq!(plain("|A|B|\n|-|-|"), "A · B");
    }

    #[test]
    fn what_only_looks_like_markdown_stays() {
        for text in [
            "norte | sur",
            "a | b\nc | d",
            "5 * 3 y 2 * 4",
            "2**3 y 4**5",
            "CELDA_01_A y snake_case_x",
            "#12 pendiente",
            ">5 grados, <3 V",
            "~40 min",
            "1.234,5 (ver) [1]",
            "- uno\n  - dos",
        ] {
            assert_eq!(plain(text), text);
        }
    }
}
