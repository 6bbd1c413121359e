//! `$n` in a text: where they stand, and the same text with casts around them.
//!
//! The engine leaves the type of some parameters open until a value is bound, and then everything that depends on it. A
//! cast around the placeholder closes it, so that a statement can be described before it runs.

/// A text with casts around placeholders, which remembers what it added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Casted {
    /// The text for the engine.
    pub(crate) text: String,
    /// Runs of added characters: at which character of `text` each begins, and its length.
    added: Vec<(u32, u32)>,
}

impl Casted {
    /// A text as it is.
    pub(crate) fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            added: Vec::new(),
        }
    }

    /// The text with `CAST($n AS type)` for each placeholder that `type_of` (from 1) names a type for.
    pub(crate) fn new<'t>(text: &str, type_of: impl Fn(usize) -> Option<&'t str>) -> Self {
        let mut casted = Self {
            text: String::with_capacity(text.len() + 64),
            added: Vec::new(),
        };
        let mut copied = 0;
        for (start, end, number) in placeholders(text) {
            let Some(name) = type_of(number) else { continue };
            casted.text.push_str(&text[copied..start]);
            casted.add("CAST(");
            casted.text.push_str(&text[start..end]);
            casted.add(&format!(" AS {name})"));
            copied = end;
        }
        casted.text.push_str(&text[copied..]);
        casted
    }

    /// The text with a NULL of its type in the place of each placeholder.
    pub(crate) fn with_nulls<'t>(text: &str, type_of: impl Fn(usize) -> Option<&'t str>) -> String {
        let mut replaced = String::with_capacity(text.len() + 64);
        let mut copied = 0;
        for (start, end, number) in placeholders(text) {
            replaced.push_str(&text[copied..start]);
            replaced.push_str(&format!("CAST(NULL AS {})", type_of(number).unwrap_or("VARCHAR")));
            copied = end;
        }
        replaced.push_str(&text[copied..]);
        replaced
    }

    /// Where a character (from 1) of the engine's text stands in the original.
    pub(crate) fn original_position(&self, position: u32) -> u32 {
        let mut shift = 0;
        for (start, length) in &self.added {
            // The run holds the positions from `start + 1` on; all of them stand for the first.
            if position <= start + 1 {
                break;
            }
            shift += (*length).min(position - start - 1);
        }
        (position - shift).max(1)
    }

    fn add(&mut self, run: &str) {
        let characters = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        self.added.push((characters(&self.text), characters(run)));
        self.text.push_str(run);
    }
}

/// Whether a text holds an unquoted word, which is given in lower case.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let mut found = false;
    scan(text, |piece, token| {
        found |= matches!(token, Token::Word) && piece.eq_ignore_ascii_case(word);
    });
    found
}

/// The placeholders of a text, as byte ranges with their numbers.
fn placeholders(text: &str) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    scan(text, |piece, token| {
        let Token::Placeholder(start) = token else { return };
        if let Ok(number) = piece[1..].parse() {
            found.push((start, start + piece.len(), number));
        }
    });
    found
}

/// The text with `$n` for each `ANY($n)` and `ALL($n)`, and the numbers of those placeholders: compared with one value in
/// place of an array's, a placeholder's type is that of the array's elements. `None` where there is none.
pub(crate) fn unquantified(text: &str) -> Option<(String, Vec<usize>)> {
    let (mut replaced, mut numbers, mut copied) = (String::with_capacity(text.len()), Vec::new(), 0);
    for (start, end, number) in placeholders(text) {
        let Some(before) = text[..start].trim_end().strip_suffix('(').map(str::trim_end) else {
            continue;
        };
        let word = before.trim_end_matches(|char: char| char.is_ascii_alphanumeric() || char == '_');
        let is_quantifier = ["any", "all", "some"]
            .iter()
            .any(|name| before[word.len()..].eq_ignore_ascii_case(name));
        let rest = text[end..].trim_start();
        if !is_quantifier || !rest.starts_with(')') || word.len() < copied {
            continue;
        }
        replaced.push_str(&text[copied..word.len()]);
        replaced.push_str(&text[start..end]);
        copied = text.len() - rest.len() + 1;
        numbers.push(number);
    }
    replaced.push_str(&text[copied..]);
    (!numbers.is_empty()).then_some((replaced, numbers))
}

/// Whether a text is more than one statement: something follows a semicolon.
pub(crate) fn has_several_statements(text: &str) -> bool {
    let (mut ended, mut several) = (false, false);
    scan(text, |_, token| match token {
        Token::Semicolon => ended = true,
        Token::Word | Token::Placeholder(_) => several |= ended,
    });
    several
}

/// What [`scan`] reports.
#[derive(Clone, Copy)]
enum Token {
    /// A name or keyword without quotes.
    Word,
    /// `;`
    Semicolon,
    /// `$n`, and where it begins.
    Placeholder(usize),
}

/// Reports words and placeholders; strings, quoted names and comments hold none.
fn scan(text: &str, mut report: impl FnMut(&str, Token)) {
    let bytes = text.as_bytes();
    let end_of = |at: usize, part: fn(u8) -> bool| (at..bytes.len()).find(|&i| !part(bytes[i])).unwrap_or(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        at = match bytes[at] {
            b'\'' if is_escape_string(bytes, at) => skip_quoted(bytes, at, Some(b'\\')),
            b'\'' | b'"' => skip_quoted(bytes, at, None),
            b'-' if bytes.get(at + 1) == Some(&b'-') => skip_line(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => skip_comment(bytes, at),
            b'$' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                let end = end_of(at + 1, |byte| byte.is_ascii_digit());
                report(&text[at..end], Token::Placeholder(at));
                end
            }
            b'$' => skip_dollar_quoted(text, at),
            b';' => {
                report(";", Token::Semicolon);
                at + 1
            }
            byte if is_name(byte) => {
                let end = end_of(at, |byte| is_name(byte) || byte == b'$');
                report(&text[at..end], Token::Word);
                end
            }
            _ => at + 1,
        };
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// `E'…'`: the quote follows an `e` that is no part of a longer name; the name was skipped, so only its end is seen.
fn is_escape_string(bytes: &[u8], quote: usize) -> bool {
    let before = quote.checked_sub(1).map(|at| bytes[at]);
    let further = quote.checked_sub(2).map(|at| bytes[at]);
    matches!(before, Some(b'e' | b'E')) && !further.is_some_and(is_name)
}

/// Past the closing quote; a doubled quote is none.
fn skip_quoted(bytes: &[u8], start: usize, escape: Option<u8>) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() {
        if Some(bytes[at]) == escape {
            at += 2;
        } else if bytes[at] != quote {
            at += 1;
        } else if bytes.get(at + 1) == Some(&quote) {
            at += 2;
        } else {
            return at + 1;
        }
    }
    bytes.len()
}

fn skip_line(bytes: &[u8], start: usize) -> usize {
    (start..bytes.len())
        .find(|&at| bytes[at] == b'\n')
        .unwrap_or(bytes.len())
}

/// Past a block comment; they nest.
fn skip_comment(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start + 2, 1);
    while at < bytes.len() && depth > 0 {
        match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'*')) => (at, depth) = (at + 2, depth + 1),
            (b'*', Some(b'/')) => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    at
}

/// Past `$tag$…$tag$`; past the sign alone where it opens none.
fn skip_dollar_quoted(text: &str, start: usize) -> usize {
    let rest = &text[start + 1..];
    let Some(tag) = rest
        .find('$')
        .filter(|&end| rest.as_bytes()[..end].iter().all(|byte| is_name(*byte)))
    else {
        return start + 1;
    };
    let delimiter = &text[start..start + tag + 2];
    let body = start + delimiter.len();
    text[body..]
        .find(delimiter)
        .map_or(text.len(), |end| body + end + delimiter.len())
}

#[cfg(test)]
mod tests;
