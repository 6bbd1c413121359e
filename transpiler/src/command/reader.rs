//! A place in a statement's tokens, and the few moves that the command grammars make.

use crate::Error;
use crate::lex::{self, Token, TokenKind};
use crate::script::{self, Statement};

/// Reads tokens left to right.
pub(crate) struct Reader<'s, 't> {
    sql: &'s str,
    tokens: &'t [Token<'s>],
    at: usize,
}

impl<'s, 't> Reader<'s, 't> {
    pub(crate) fn new(sql: &'s str, tokens: &'t [Token<'s>]) -> Self {
        Self { sql, tokens, at: 0 }
    }

    pub(crate) fn peek(&self) -> Option<&'t Token<'s>> {
        self.tokens.get(self.at)
    }

    pub(crate) fn next(&mut self) -> Option<&'t Token<'s>> {
        let token = self.tokens.get(self.at);
        self.at += 1;
        token
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Whether the next tokens are these keywords; moves past them if so.
    pub(crate) fn eat(&mut self, words: &str) -> bool {
        let mut at = self.at;
        for word in words.split(' ') {
            if !self.tokens.get(at).is_some_and(|t| t.is_word(word)) {
                return false;
            }
            at += 1;
        }
        self.at = at;
        true
    }

    /// Whether the next token is one of these keywords; moves past it.
    pub(crate) fn eat_any(&mut self, words: &[&str]) -> bool {
        words.iter().any(|word| self.eat(word))
    }

    pub(crate) fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.peek().is_some_and(|t| t.is_symbol(symbol));
        self.at += usize::from(found);
        found
    }

    pub(crate) fn expect(&mut self, words: &str) -> Result<(), Error> {
        if self.eat(words) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    pub(crate) fn expect_symbol(&mut self, symbol: &str) -> Result<(), Error> {
        if self.eat_symbol(symbol) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    pub(crate) fn expect_end(&self) -> Result<(), Error> {
        if self.at_end() { Ok(()) } else { Err(self.unexpected()) }
    }

    /// A name, folded or unquoted.
    pub(crate) fn name(&mut self) -> Result<String, Error> {
        let name = self.peek().and_then(Token::name);
        match name {
            Some(name) => {
                self.at += 1;
                Ok(name)
            }
            None => Err(self.unexpected()),
        }
    }

    /// `a.b.c` as its parts.
    pub(crate) fn names(&mut self) -> Result<Vec<String>, Error> {
        let mut parts = vec![self.name()?];
        while self.eat_symbol(".") {
            parts.push(self.name()?);
        }
        Ok(parts)
    }

    pub(crate) fn literal(&mut self) -> Result<String, Error> {
        match self.peek().and_then(Token::literal) {
            Some(value) => {
                self.at += 1;
                Ok(value)
            }
            None => Err(self.unexpected()),
        }
    }

    /// A signed whole number.
    pub(crate) fn integer(&mut self) -> Option<i64> {
        let start = self.at;
        let negative = self.eat_symbol("-");
        if !negative {
            self.eat_symbol("+");
        }
        let value = self
            .peek()
            .filter(|t| t.kind == TokenKind::Number)
            .and_then(|t| t.text.parse::<i32>().ok());
        if value.is_some() {
            self.at += 1;
            value.map(i64::from).map(|v| if negative { -v } else { v })
        } else {
            self.at = start;
            None
        }
    }

    /// The tokens not yet read.
    pub(crate) fn rest(&self) -> &'t [Token<'s>] {
        self.tokens.get(self.at..).unwrap_or_default()
    }

    /// The text of tokens, from the first's first byte to the last's last.
    pub(crate) fn text(&self, tokens: &[Token<'_>]) -> String {
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => self.sql[first.start..last.end()].to_owned(),
            _ => String::new(),
        }
    }

    /// Moves past a `(` … `)` group whose `(` was read, and hands back what is inside.
    pub(crate) fn group(&mut self) -> Result<&'t [Token<'s>], Error> {
        let start = self.at;
        let mut depth = 1_usize;
        while let Some(token) = self.next() {
            if token.is_symbol("(") {
                depth += 1;
            } else if token.is_symbol(")") {
                depth -= 1;
                if depth == 0 {
                    return Ok(self.tokens.get(start..self.at - 1).unwrap_or_default());
                }
            }
        }
        Err(self.unexpected())
    }

    /// Parses what is left as a statement of its own.
    pub(crate) fn statement(&mut self) -> Result<Statement, Error> {
        let rest = self.rest();
        if rest.is_empty() {
            return Err(self.unexpected());
        }
        self.at = self.tokens.len();
        script::statement(self.sql, rest)
    }

    /// Parses `tokens` as a statement of its own.
    pub(crate) fn nested(&self, tokens: &[Token<'s>]) -> Result<Statement, Error> {
        script::statement(self.sql, tokens)
    }

    /// `PostgreSQL`'s complaint about the next token.
    pub(crate) fn unexpected(&self) -> Error {
        self.unexpected_at(self.peek())
    }

    /// The same about another token of the text.
    pub(crate) fn unexpected_at(&self, token: Option<&Token<'_>>) -> Error {
        match token {
            Some(token) => Error::SyntaxError {
                message: format!("syntax error at or near \"{}\"", token.text),
                position: lex::position(self.sql, token.start),
            },
            None => Error::SyntaxError {
                message: "syntax error at end of input".to_owned(),
                position: lex::position(self.sql, self.tokens.last().map_or(self.sql.len(), Token::end)),
            },
        }
    }
}

/// Splits at commas outside parentheses and brackets.
pub(crate) fn commas<'t, 's>(tokens: &'t [Token<'s>]) -> Vec<&'t [Token<'s>]> {
    let mut depth = 0_i32;
    let mut parts = Vec::new();
    let mut start = 0;
    for (i, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" if token.kind == TokenKind::Symbol => depth += 1,
            ")" | "]" if token.kind == TokenKind::Symbol => depth -= 1,
            "," if depth == 0 && token.kind == TokenKind::Symbol => {
                parts.push(&tokens[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    if !tokens.is_empty() {
        parts.push(&tokens[start..]);
    }
    parts
}
