//! Reads a Rust source as tokens, so that comments and texts can't be mistaken for code.

/// One token with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub line: usize,
    pub kind: Kind,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or keyword; a raw one without its `r#`.
    Word,
    /// A string of any kind, without quotes.
    Text,
    /// A character, a lifetime or a number: nothing that a rule looks at.
    Other,
    /// Punctuation: one character, or `::`.
    Mark,
}

impl Token {
    /// Is it this word or mark? Never true for what stands in a string.
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == text
    }
}

/// The tokens of a source; comments are gone.
pub fn tokens(source: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        chars: source.chars().collect(),
        at: 0,
        line: 1,
        found: Vec::new(),
    };
    while lexer.at < lexer.chars.len() {
        lexer.step();
    }
    lexer.found
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    line: usize,
    found: Vec<Token>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn bump(&mut self) -> char {
        let c = self.peek(0);
        self.at += 1;
        self.line += usize::from(c == '\n');
        c
    }

    fn push(&mut self, text: String, line: usize, kind: Kind) {
        self.found.push(Token { text, line, kind });
    }

    fn step(&mut self) {
        let line = self.line;
        match (self.peek(0), self.peek(1)) {
            ('/', '/') => {
                while self.at < self.chars.len() && self.peek(0) != '\n' {
                    self.bump();
                }
            }
            ('/', '*') => self.block_comment(),
            ('"', _) => self.string(),
            ('b' | 'c', '"') => {
                self.bump();
                self.string();
            }
            ('b', '\'') => {
                self.bump();
                self.quote();
            }
            ('r', '"') | ('r', '#') if self.is_raw_string(1) => self.raw_string(1),
            ('b' | 'c', 'r') if self.is_raw_string(2) => self.raw_string(2),
            ('r', '#') => {
                self.at += 2;
                self.word();
            }
            ('\'', _) => self.quote(),
            (':', ':') => {
                self.at += 2;
                self.push("::".into(), line, Kind::Mark);
            }
            (c, _) if c.is_alphabetic() || c == '_' => self.word(),
            (c, _) if c.is_ascii_digit() => {
                let mut text = String::new();
                while self.peek(0).is_alphanumeric() || self.peek(0) == '_' {
                    text.push(self.bump());
                }
                self.push(text, line, Kind::Other);
            }
            (c, _) => {
                self.bump();
                if !c.is_whitespace() {
                    self.push(c.to_string(), line, Kind::Mark);
                }
            }
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.chars.len() {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => {
                    depth += 1;
                    self.at += 2;
                }
                ('*', '/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => {
                    self.bump();
                }
            }
        }
    }

    fn word(&mut self) {
        let line = self.line;
        let mut text = String::new();
        while self.peek(0).is_alphanumeric() || self.peek(0) == '_' {
            text.push(self.bump());
        }
        self.push(text, line, Kind::Word);
    }

    fn string(&mut self) {
        let line = self.line;
        self.bump();
        let mut text = String::new();
        while self.at < self.chars.len() {
            match self.bump() {
                '"' => break,
                '\\' => {
                    self.bump();
                }
                c => text.push(c),
            }
        }
        self.push(text, line, Kind::Text);
    }

    /// Are there, from here and past `skip` letters, hashes and then a quote?
    fn is_raw_string(&self, skip: usize) -> bool {
        let hashes = self
            .chars
            .iter()
            .skip(self.at + skip)
            .take_while(|c| **c == '#')
            .count();
        self.peek(skip + hashes) == '"'
    }

    fn raw_string(&mut self, skip: usize) {
        let line = self.line;
        self.at += skip;
        let mut hashes = 0;
        while self.peek(0) == '#' {
            hashes += 1;
            self.bump();
        }
        self.bump();
        let mut text = String::new();
        while self.at < self.chars.len() {
            let c = self.bump();
            if c == '"' && (0..hashes).all(|n| self.peek(n) == '#') {
                self.at += hashes;
                break;
            }
            text.push(c);
        }
        self.push(text, line, Kind::Text);
    }

    /// A character, or a lifetime: `'a'` ends with a quote, `'a` does not.
    fn quote(&mut self) {
        let line = self.line;
        self.bump();
        if self.peek(0) == '\\' {
            self.at += 2;
            while self.at < self.chars.len() && self.bump() != '\'' {}
        } else if self.peek(1) == '\'' {
            self.at += 2;
        } else {
            while self.peek(0).is_alphanumeric() || self.peek(0) == '_' {
                self.bump();
            }
        }
        self.push("'".into(), line, Kind::Other);
    }
}
