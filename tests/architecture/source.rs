//! What a source uses: paths of our own crate, vendor crates, and where its tests stand.

use std::ops::Range;

use super::lexer::{Kind, Token, tokens};

/// A source file, read.
pub struct Source {
    /// `src/store/mod.rs`.
    pub path: String,
    pub lines: usize,
    pub first_line: String,
    tokens: Vec<Token>,
    tests: Vec<Range<usize>>,
    /// The whole file is compiled for tests only: `#[cfg(test)] mod name;` names it.
    pub test_only: bool,
}

/// A path that a source names, from the crate's root, with the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub path: Vec<String>,
    pub line: usize,
}

impl Source {
    pub fn read(path: &str, text: &str) -> Self {
        let tokens = tokens(text);
        let tests = attributed(&tokens, |attribute| {
            attribute.first().is_some_and(|t| t.is("test"))
                || (attribute.first().is_some_and(|t| t.is("cfg")) && attribute.iter().any(|t| t.is("test")))
        });
        Self {
            path: path.to_owned(),
            lines: text.lines().count(),
            first_line: text.lines().next().unwrap_or_default().to_owned(),
            tokens,
            tests,
            test_only: false,
        }
    }

    /// The modules in files of their own that are declared for tests only.
    pub fn test_modules(&self) -> Vec<Vec<String>> {
        let declared = |at: &usize| self.is(*at, "mod") && self.is(at + 2, ";") && self.in_tests(*at);
        let names = (0..self.tokens.len()).filter(declared);
        names
            .map(|at| {
                let mut module = self.module();
                module.push(self.tokens[at + 1].text.clone());
                module
            })
            .collect()
    }

    /// The modules that lead to this file: `src/store/redb.rs` is `[store, redb]`.
    pub fn module(&self) -> Vec<String> {
        let path = self.path.strip_prefix("src/").unwrap_or(&self.path);
        let path = path.strip_suffix(".rs").unwrap_or(path);
        path.split('/')
            .filter(|part| !matches!(*part, "mod" | "lib"))
            .map(str::to_owned)
            .collect()
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|t| t.is(text))
    }

    fn in_tests(&self, at: usize) -> bool {
        self.test_only || self.tests.iter().any(|range| range.contains(&at))
    }

    /// Every path of our own crate that is named, in `use` or inline, `super` resolved.
    pub fn own_paths(&self) -> Vec<Named> {
        let mut found = Vec::new();
        let mut inline: Vec<(String, usize)> = Vec::new();
        let mut depth = 0;
        for (at, token) in self.tokens.iter().enumerate() {
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth -= 1;
                inline.retain(|(_, inside)| *inside <= depth);
            } else if token.is("mod") && self.is(at + 2, "{") {
                inline.push((self.tokens[at + 1].text.clone(), depth + 1));
            }
            let begins = !(at > 0 && self.is(at - 1, "::")) && self.is(at + 1, "::");
            if !begins || token.kind != Kind::Word {
                continue;
            }
            let mut here = self.module();
            here.extend(inline.iter().map(|(name, _)| name.clone()));
            let base = match token.text.as_str() {
                "crate" | "relevo" => Vec::new(),
                "super" => {
                    here.pop();
                    here
                }
                _ => continue,
            };
            self.tree(at + 2, base, &mut found);
        }
        found
    }

    /// Follows a use tree from `at`, which stands after a `::`; says where it ended.
    fn tree(&self, at: usize, base: Vec<String>, found: &mut Vec<Named>) -> usize {
        let Some(token) = self.tokens.get(at) else { return at };
        if token.is("{") {
            let mut at = at + 1;
            while at < self.tokens.len() && !self.is(at, "}") {
                at = if self.is(at, ",") {
                    at + 1
                } else {
                    self.tree(at, base.clone(), found).max(at + 1)
                };
            }
            return at + 1;
        }
        let mut path = base;
        if token.is("super") {
            path.pop();
        } else if !token.is("self") {
            path.push(token.text.clone());
        }
        if self.is(at + 1, "::") && !self.is(at + 2, "<") {
            return self.tree(at + 2, path, found);
        }
        found.push(Named { path, line: token.line });
        // `as name` belongs to the path.
        if self.is(at + 1, "as") { at + 3 } else { at + 1 }
    }

    /// Lines on which the crate `vendor` is named at the start of a path.
    /// A file that declares a module of the same name means that, unless it says `::vendor`.
    pub fn vendor_lines(&self, vendor: &str) -> Vec<usize> {
        let shadowed = (0..self.tokens.len()).any(|at| self.is(at, "mod") && self.is(at + 1, vendor));
        let named = |at: usize| {
            let used = self.is(at + 1, "::") || (at > 0 && self.is(at - 1, "use"));
            let rooted = at > 0 && self.is(at - 1, "::");
            let leads = if rooted { self.begins_path(at - 1) } else { !shadowed };
            self.is(at, vendor) && used && leads
        };
        let at = (0..self.tokens.len()).filter(|at| named(*at));
        at.map(|at| self.tokens[at].line).collect()
    }

    /// Does the `::` here stand at the very start of a path?
    fn begins_path(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|at| self.tokens.get(at)) else {
            return true;
        };
        let keyword = ["use", "in", "return", "as", "dyn", "impl", "mut", "extern"].contains(&before.text.as_str());
        keyword || (before.kind != Kind::Word && !before.is(">"))
    }

    /// Lines with `.unwrap()` or `.expect(` outside tests that no attribute with a reason covers.
    pub fn bare_unwraps(&self) -> Vec<usize> {
        let excused = attributed(&self.tokens, |attribute| {
            let about = |word: &str| attribute.iter().any(|t| t.is(word));
            (about("unwrap_used") || about("expect_used")) && about("reason")
        });
        self.tokens
            .iter()
            .enumerate()
            .filter(|(at, t)| {
                (t.is("unwrap") || t.is("expect")) && *at > 0 && self.is(at - 1, ".") && self.is(at + 1, "(")
            })
            .filter(|(at, _)| !self.in_tests(*at) && !excused.iter().any(|range| range.contains(at)))
            .map(|(_, t)| t.line)
            .collect()
    }

    /// Lines of `#[allow(…)]` and `#[expect(…)]` without a reason, outside tests.
    pub fn unreasoned(&self) -> Vec<usize> {
        attributes(&self.tokens)
            .into_iter()
            .filter(|range| !self.in_tests(range.start))
            .map(|range| &self.tokens[range])
            .filter(|a| a.first().is_some_and(|t| t.is("allow") || t.is("expect")) && !a.iter().any(|t| t.is("reason")))
            .filter_map(|a| a.first().map(|t| t.line))
            .collect()
    }

    /// Lines of texts outside tests that open a Spanish question or exclamation.
    pub fn spanish_lines(&self) -> Vec<usize> {
        self.tokens
            .iter()
            .enumerate()
            .filter(|(at, t)| t.kind == Kind::Text && is_spanish(&t.text) && !self.in_tests(*at))
            .map(|(_, t)| t.line)
            .collect()
    }
}

/// An opened question or exclamation, with words in it.
fn is_spanish(text: &str) -> bool {
    text.contains(['¿', '¡']) && text.chars().any(char::is_alphabetic)
}

/// The insides of every attribute, `#[…]` and `#![…]`, as ranges of tokens.
fn attributes(tokens: &[Token]) -> Vec<Range<usize>> {
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|t: &Token| t.is(text));
    (0..tokens.len())
        .filter(|at| is(*at, "#"))
        .map(|at| if is(at + 1, "!") { at + 2 } else { at + 1 })
        .filter(|at| is(*at, "["))
        .map(|open| open + 1..closing(tokens, open))
        .collect()
}

/// The ranges of the items that an attribute of this kind stands on; the whole file for `#![…]`.
fn attributed(tokens: &[Token], wanted: impl Fn(&[Token]) -> bool) -> Vec<Range<usize>> {
    attributes(tokens)
        .into_iter()
        .filter(|range| wanted(&tokens[range.clone()]))
        .map(|range| {
            let inner = range.start > 1 && tokens[range.start - 2].is("!");
            if inner {
                0..tokens.len()
            } else {
                range.start..item_end(tokens, range.end + 1)
            }
        })
        .collect()
}

/// Where the item that begins at `at` ends: its `;`, or the brace that closes its body.
fn item_end(tokens: &[Token], mut at: usize) -> usize {
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            _ if token.kind != Kind::Mark => at += 1,
            "{" => return closing(tokens, at) + 1,
            "(" | "[" => at = closing(tokens, at) + 1,
            ";" => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// The bracket that closes the one at `open`.
fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_i32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if ["(", "[", "{"].iter().any(|b| token.is(b)) {
            depth += 1;
        } else if [")", "]", "}"].iter().any(|b| token.is(b)) {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    tokens.len()
}
