//! A text folded for reading, with the way back to where each piece stands in the original.

use std::ops::Range;

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// Lower case, no accents; what was read is blanked out so that nothing is read twice.
#[derive(Debug, Clone)]
pub struct Folded<'a> {
    original: &'a str,
    /// The folded text.
    pub text: String,
    /// For each byte of `text`, where its character stands in the original; one more for the end.
    at: Vec<usize>,
    /// The folded text before anything was blanked out.
    unread: String,
}

impl<'a> Folded<'a> {
    /// The text folded, white space kept.
    pub fn of(original: &'a str) -> Self {
        let (mut text, mut at) = (String::with_capacity(original.len()), Vec::new());
        for (from, c) in original.char_indices() {
            let before = text.len();
            decompose_canonical(c, |part| {
                if !is_combining_mark(part) {
                    text.extend(part.to_lowercase());
                }
            });
            at.resize(at.len() + text.len() - before, from);
        }
        at.push(original.len());
        let unread = text.clone();
        Self {
            original,
            text,
            at,
            unread,
        }
    }

    /// Where a piece of the folded text stands in the original.
    pub fn place(&self, span: &Range<usize>) -> (usize, usize) {
        let from = self.at.get(span.start).copied().unwrap_or(self.original.len());
        let last = span.end.saturating_sub(1).max(span.start);
        let last = self.at.get(last).copied().unwrap_or(self.original.len());
        let width = self.original.get(last..).and_then(|rest| rest.chars().next());
        (from, last + width.map_or(0, char::len_utf8))
    }

    /// A piece as the original writes it.
    pub fn original(&self, span: &Range<usize>) -> String {
        let (from, to) = self.place(span);
        self.original.get(from..to).unwrap_or_default().trim().to_owned()
    }

    /// The original, whole.
    pub fn whole(&self) -> &'a str {
        self.original
    }

    /// Blanks a piece out.
    pub fn eat(&mut self, span: &Range<usize>) {
        if self.text.get(span.clone()).is_some() {
            self.text.replace_range(span.clone(), &" ".repeat(span.len()));
        }
    }

    /// The character before a place.
    pub fn before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    /// The character after a place.
    pub fn after(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// Up to `bytes` before a place.
    pub fn back(&self, at: usize, bytes: usize) -> &str {
        let from = (at.saturating_sub(bytes)..=at).find(|from| self.text.is_char_boundary(*from));
        self.text.get(from.unwrap_or(at)..at).unwrap_or_default()
    }

    /// A piece of the folded text as it was before anything was blanked out.
    pub fn whole_folded(&self, span: &Range<usize>) -> Option<&str> {
        self.unread.get(span.clone())
    }

    /// Everything after a place.
    pub fn rest(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default()
    }
}

/// A folded text.
pub fn fold(text: &str) -> String {
    Folded::of(text).text
}

/// Is it part of a word?
pub fn wordy(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// The sentences of a text as byte ranges that together are the whole of it.
pub fn sentences(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let ends = c == '\n' || (matches!(c, '.' | ';' | '!' | '?') && next.is_none_or(char::is_whitespace));
        // `1. ` at the beginning of a line numbers it and ends nothing.
        let numbers = c == '.' && text.get(from..at).is_some_and(|head| is_number(head.trim()));
        if ends && !numbers {
            let to = at + c.len_utf8();
            found.push((from, to));
            from = to;
        }
    }
    if from < text.len() {
        found.push((from, text.len()));
    }
    found
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 3 && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_of_the_folded_text_leads_back_to_the_original() {
        let text = "Está CAÍDO, según T-1";
        let mut folded = Folded::of(text);
        assert_eq!(folded.text, "esta caido, segun t-1");
        assert_eq!(folded.original(&(5..10)), "CAÍDO");
        folded.eat(&(5..10));
        assert_eq!(folded.text, "esta      , segun t-1");
        assert_eq!(folded.original(&(18..21)), "T-1");
    }

    #[test]
    fn sentences_are_the_whole_text_and_a_lists_number_ends_none() {
        let text = "Hay 4.2 h. ¿Y ahora? Nada\n1. T-1 abierta\n2. T-2";
        let parts: Vec<&str> = sentences(text)
            .into_iter()
            .map(|(a, b)| text.get(a..b).unwrap())
            .collect();
        assert_eq!(parts.concat(), text);
        assert_eq!(parts[0], "Hay 4.2 h.");
        assert_eq!(parts[3], "1. T-1 abierta\n");
    }
}
