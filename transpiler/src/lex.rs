//! PostgreSQL's lexical rules (manual, "Lexical Structure"), as far as statements, names and literals go.
//!
//! Knows tokens and where they stand; knows no grammar. Spans are bytes of the text; errors count characters.

use std::borrow::Cow;

use crate::Error;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An unquoted word.
    Word,
    /// A `"quoted"` identifier.
    Quoted,
    /// Any string literal, prefix and quotes included.
    Text,
    /// A number.
    Number,
    /// `$n`.
    Parameter,
    /// `;`.
    Semicolon,
    /// Any other single character, or an operator's characters one by one.
    Symbol,
}

/// How deep a tree of these tokens can be at most: what stands between two commas may nest, and so may what a set operation
/// joins.
pub(crate) fn depth(tokens: &[Token<'_>]) -> usize {
    let (mut deepest, mut outside) = (0, 0);
    // Of each open parenthesis, and of the text outside all: tokens since the last comma, and set operations.
    let mut levels = vec![(0usize, 0usize)];
    for token in tokens {
        match token.text {
            "(" | "[" | "{" => {
                let (run, sets) = levels.last().copied().unwrap_or_default();
                outside += run + sets + 1;
                levels.push((0, 0));
            }
            ")" | "]" | "}" if levels.len() > 1 => {
                levels.pop();
                let (run, sets) = levels.last().copied().unwrap_or_default();
                outside = outside.saturating_sub(run + sets + 1);
            }
            _ => {}
        }
        let Some((run, sets)) = levels.last_mut() else { continue };
        if token.text == "," {
            *run = 0;
        } else {
            *run += 1;
        }
        if ["UNION", "INTERSECT", "EXCEPT"].iter().any(|word| token.is_word(word)) {
            *sets += 4;
        }
        deepest = deepest.max(outside + *run + *sets);
    }
    deepest
}

/// A token and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    pub(crate) start: usize,
}

impl Token<'_> {
    /// The byte after the token.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it is this keyword, in any case.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it is this character.
    pub(crate) fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }

    /// The name it spells: folded where unquoted, unescaped where quoted.
    pub(crate) fn name(&self) -> Option<String> {
        match self.kind {
            TokenKind::Word => Some(self.text.to_lowercase()),
            TokenKind::Quoted => Some(self.text[1..self.text.len() - 1].replace("\"\"", "\"")),
            _ => None,
        }
    }

    /// The value of a string literal.
    pub(crate) fn literal(&self) -> Option<String> {
        (self.kind == TokenKind::Text).then(|| value(self.text)).flatten()
    }

    /// Whether `next`, behind `gap`, goes on with this literal: a line break between two literals puts them together
    /// (manual, "String Constants").
    fn continues(&self, gap: &str, next: &Token<'_>) -> bool {
        let is_text = |token: &Token<'_>| token.kind == TokenKind::Text;
        is_text(self)
            && is_text(next)
            && !self.text.starts_with('$')
            && next.text.starts_with('\'')
            && gap.contains(['\n', '\r'])
    }
}

/// The value of a literal's text.
fn value(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix('$') {
        let tag = rest.find('$')? + 2;
        return text.get(tag..text.len() - tag).map(str::to_owned);
    }
    let quote = text.find('\'')?;
    let body = text[quote + 1..text.len() - 1].replace("''", "'");
    let escaped = text[..quote].eq_ignore_ascii_case("e");
    Some(if escaped { unescape(&body) } else { body })
}

/// The values of all literals, those that stand side by side put together.
pub(crate) fn literals(tokens: &[Token<'_>]) -> Vec<String> {
    tokens
        .chunk_by(|a, b| a.continues("\n", b))
        .filter_map(|run| {
            let (first, rest) = run.split_first().filter(|(first, _)| first.kind == TokenKind::Text)?;
            let mut text = first.text.to_owned();
            for next in rest {
                text.pop();
                text.push_str(&next.text[1..]);
            }
            value(&text)
        })
        .collect()
}

/// Resolves the escapes of an `E'…'` body.
fn unescape(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(next) = chars.next() else { break };
        match next {
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'x' => push_code(&mut out, &mut chars, None, 16, 2),
            'u' => push_code(&mut out, &mut chars, None, 16, 4),
            'U' => push_code(&mut out, &mut chars, None, 16, 8),
            digit @ '0'..='7' => push_code(&mut out, &mut chars, Some(digit), 8, 2),
            other => out.push(other),
        }
    }
    out
}

fn push_code(
    out: &mut String,
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    first: Option<char>,
    radix: u32,
    most: usize,
) {
    let mut code = first.and_then(|c| c.to_digit(radix)).unwrap_or(0);
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else {
            break;
        };
        code = code.saturating_mul(radix).saturating_add(digit);
        chars.next();
    }
    out.extend(char::from_u32(code));
}

/// Every token of `sql`; comments and blanks are skipped.
pub(crate) fn tokens(sql: &str) -> Result<Vec<Token<'_>>, Error> {
    let mut out = Vec::with_capacity(sql.len() / 4 + 1);
    let mut at = 0;
    while let Some(c) = sql[at..].chars().next() {
        let rest = &sql[at..];
        if is_space(c) {
            at += c.len_utf8();
        } else if rest.starts_with("--") {
            at += rest.find(['\n', '\r']).unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += comment(sql, at)?;
        } else {
            let (kind, len) = token(sql, at, c)?;
            out.push(Token {
                kind,
                text: &sql[at..at + len],
                start: at,
            });
            at += len;
        }
    }
    Ok(out)
}

/// What the engine takes for a blank, outside of quotes: some of Unicode's blanks, and some that have no width.
fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{2000}'
            ..='\u{200b}' | '\u{202f}' | '\u{205f}' | '\u{2060}' | '\u{3000}' | '\u{feff}'
    )
}

/// The text of `tokens` with plain blanks for whatever else stands between them, comments among it, and literals that go on
/// behind a line break as one.
///
/// The parsers' own lexers differ from the engine's in what a comment and a blank are, and do not put literals together;
/// this leaves them nothing to differ about.
pub(crate) fn plain<'a>(sql: &'a str, tokens: &[Token<'_>]) -> Cow<'a, str> {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
        return Cow::Borrowed("");
    };
    let is_plain = |gap: &str| gap.chars().all(|c| matches!(c, ' ' | '\n' | '\t' | '\r'));
    let pairs = || tokens.windows(2).map(|pair| (&sql[pair[0].end()..pair[1].start], pair));
    if pairs().all(|(gap, pair)| is_plain(gap) && !pair[0].continues(gap, &pair[1])) {
        return Cow::Borrowed(&sql[first.start..last.end()]);
    }
    let mut out = String::with_capacity(last.end() - first.start);
    out.push_str(first.text);
    for (gap, pair) in pairs() {
        let next = &pair[1];
        if pair[0].continues(gap, next) {
            out.pop();
            out.push_str(&next.text[1..]);
            continue;
        }
        if is_plain(gap) {
            out.push_str(gap);
        } else {
            out.push(if gap.contains('\n') { '\n' } else { ' ' });
        }
        out.push_str(next.text);
    }
    Cow::Owned(out)
}

fn token(sql: &str, at: usize, c: char) -> Result<(TokenKind, usize), Error> {
    let rest = &sql[at..];
    let bytes = rest.as_bytes();
    let second = bytes.get(1).copied().unwrap_or(0);
    Ok(match c {
        ';' => (TokenKind::Semicolon, 1),
        '\'' => (TokenKind::Text, quoted(sql, at, 0, Escapes::Doubled)?),
        'e' | 'E' if second == b'\'' => (TokenKind::Text, quoted(sql, at, 1, Escapes::Backslash)?),
        'b' | 'B' | 'x' | 'X' | 'n' | 'N' if second == b'\'' => {
            (TokenKind::Text, quoted(sql, at, 1, Escapes::Doubled)?)
        }
        // The engine has no such names; as one token, nothing can mistake it for a name and an operator.
        'u' | 'U' if rest[1..].starts_with("&\"") => {
            return Err(Error::unsupported("identifiers with Unicode escapes are not supported"));
        }
        '`' | '\\' => return Err(near(sql, at, c)),
        'u' | 'U' if rest[1..].starts_with("&'") => (TokenKind::Text, quoted(sql, at, 2, Escapes::Doubled)?),
        '"' => (TokenKind::Quoted, identifier(sql, at)?),
        '$' if second.is_ascii_digit() => (TokenKind::Parameter, 1 + digits(&bytes[1..])),
        '$' => match dollar(sql, at)? {
            Some(len) => (TokenKind::Text, len),
            None => (TokenKind::Symbol, 1),
        },
        '0'..='9' => (TokenKind::Number, number(rest)),
        '.' if second.is_ascii_digit() => (TokenKind::Number, number(rest)),
        c if c.is_alphabetic() || c == '_' || !c.is_ascii() => (TokenKind::Word, word(rest)),
        c => (TokenKind::Symbol, c.len_utf8()),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    Doubled,
    Backslash,
}

fn quoted(sql: &str, at: usize, prefix: usize, escapes: Escapes) -> Result<usize, Error> {
    let bytes = sql.as_bytes();
    let mut i = at + prefix + 1;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' if escapes == Escapes::Backslash => i += 2,
            b'\'' if bytes.get(i + 1) == Some(&b'\'') => i += 2,
            b'\'' => return Ok(i + 1 - at),
            _ => i += 1,
        }
    }
    Err(unterminated(sql, at, "quoted string"))
}

fn identifier(sql: &str, at: usize) -> Result<usize, Error> {
    let bytes = sql.as_bytes();
    let mut i = at + 1;
    while i < bytes.len() {
        match bytes[i] {
            b'"' if bytes.get(i + 1) == Some(&b'"') => i += 2,
            b'"' if i == at + 1 => {
                return Err(Error::SyntaxError {
                    message: "zero-length delimited identifier at or near \"\"\"\"".to_owned(),
                    position: position(sql, at),
                });
            }
            b'"' => return Ok(i + 1 - at),
            _ => i += 1,
        }
    }
    Err(unterminated(sql, at, "quoted identifier"))
}

/// The length of a dollar-quoted string, or `None` where the `$` opens none.
fn dollar(sql: &str, at: usize) -> Result<Option<usize>, Error> {
    let rest = &sql[at..];
    let Some(close) = rest[1..].find('$') else {
        return Ok(None);
    };
    let tag = &rest[1..=close];
    let is_tag = tag.chars().all(|c| c.is_alphanumeric() || c == '_') && !tag.starts_with(|c: char| c.is_ascii_digit());
    if !is_tag {
        return Ok(None);
    }
    let delimiter = &rest[..close + 2];
    match rest[delimiter.len()..].find(delimiter) {
        Some(body) => Ok(Some(body + 2 * delimiter.len())),
        None => Err(unterminated(sql, at, "dollar-quoted string")),
    }
}

fn comment(sql: &str, at: usize) -> Result<usize, Error> {
    let bytes = sql.as_bytes();
    let mut depth = 0_usize;
    let mut i = at;
    while i + 1 < bytes.len() {
        match &bytes[i..i + 2] {
            b"/*" => {
                depth += 1;
                i += 2;
            }
            b"*/" => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return Ok(i - at);
                }
            }
            _ => i += 1,
        }
    }
    Err(unterminated(sql, at, "/* comment"))
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut i = bytes.iter().take_while(|b| b.is_ascii_digit() || **b == b'_').count();
    // `1..2` is two numbers' business, not a fraction.
    if bytes.get(i) == Some(&b'.') && bytes.get(i + 1) != Some(&b'.') {
        i += 1 + digits(&bytes[i + 1..]);
    }
    if matches!(bytes.get(i), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(i + 1), Some(b'+' | b'-')));
        let exponent = digits(bytes.get(i + 1 + sign..).unwrap_or_default());
        if exponent > 0 {
            i += 1 + sign + exponent;
        }
    }
    i.max(1)
}

fn word(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()) || is_space(c))
        .unwrap_or(rest.len())
}

fn near(sql: &str, at: usize, c: char) -> Error {
    Error::SyntaxError {
        message: format!("syntax error at or near \"{c}\""),
        position: position(sql, at),
    }
}

/// The 1-based character at a byte.
pub(crate) fn position(sql: &str, byte: usize) -> u32 {
    let characters = sql[..byte].chars().count() + 1;
    u32::try_from(characters).unwrap_or(u32::MAX)
}

fn unterminated(sql: &str, at: usize, what: &str) -> Error {
    Error::SyntaxError {
        message: format!("unterminated {what} at or near \"{}\"", &sql[at..]),
        position: position(sql, at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sql: &str) -> Vec<&str> {
        tokens(sql)
            .map(|t| t.iter().map(|t| t.text).collect())
            .unwrap_or_default()
    }

    #[test]
    fn quotes_comments_and_dollars_hold_semicolons() {
        assert_eq!(
            texts("a ';' \";\" /* ; /* ; */ */ $x$;$x$ E'\\';' -- ;"),
            ["a", "';'", "\";\"", "$x$;$x$", "E'\\';'"]
        );
    }

    #[test]
    fn blanks_without_width_end_words() {
        let sql = "a\u{200b}(\u{feff}b\u{a0}) -- c\r d";
        assert_eq!(texts(sql), ["a", "(", "b", ")", "d"]);
        let all = tokens(sql).unwrap_or_default();
        assert_eq!(plain(sql, &all), "a ( b ) d");
    }

    #[test]
    fn numbers_parameters_and_words() {
        assert_eq!(texts("$1+1.5e3 .5 été_1$"), ["$1", "+", "1.5e3", ".5", "été_1$"]);
    }

    #[test]
    fn literals_are_unescaped() {
        let all = tokens(r"'it''s' E'a\tb\x41\u00e9' $$q$$").unwrap_or_default();
        let values: Vec<_> = all.iter().filter_map(Token::literal).collect();
        assert_eq!(values, ["it's", "a\tbAé", "q"]);
    }

    #[test]
    fn literals_go_on_behind_a_line_break() {
        let sql = "f('a' -- x\n 'b''c'\r'd', E'\\x41'\n'\\x42', 'e' 'f', $$g$$\n'h')";
        let all = tokens(sql).unwrap_or_default();
        assert_eq!(plain(sql, &all), "f('ab''cd', E'\\x41\\x42', 'e' 'f', $$g$$\n'h')");
        assert_eq!(literals(&all), ["ab'cd", "AB", "ef", "g", "h"]);
    }

    #[test]
    fn unterminated_strings_say_where() {
        let error = tokens("SELECT é 'abc").err();
        assert_eq!(
            error,
            Some(Error::SyntaxError {
                message: "unterminated quoted string at or near \"'abc\"".to_owned(),
                position: 10
            })
        );
    }
}
