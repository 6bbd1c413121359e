//! A date's or time's text cut into the pieces that `PostgreSQL` tells apart before it gives them a meaning.

/// A piece of a date or time, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Digits and colons, perhaps with a fraction: `10:20:30.5`.
    Clock(String),
    /// Digits, or a month's name, joined by one of `-`, `/`, `.`.
    Date(Vec<String>),
    /// Digits alone.
    Number(String),
    /// Digits with a fraction: `102030.5`.
    Fraction(String),
    /// Letters; a zone's name may hold more.
    Word(String),
    /// A sign and the digits and colons after it.
    Offset(String),
}

/// Cuts a text; `None` where a character belongs to no date.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let text = text.to_ascii_lowercase();
    let mut rest = text.as_str();
    let mut found: Vec<Token> = Vec::new();
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_whitespace() || first == ',' {
            rest = &rest[1..];
        } else if first.is_ascii_digit() {
            found.push(digits(&mut rest)?);
        } else if first.is_ascii_alphabetic() {
            found.push(word(&mut rest));
        } else if matches!(first, '+' | '-') {
            let after = &rest[1..];
            let end = after
                .find(|c: char| !c.is_ascii_digit() && c != ':')
                .unwrap_or(after.len());
            if end == 0 {
                return None;
            }
            found.push(Token::Offset(rest[..=end].to_owned()));
            rest = &after[end..];
        } else {
            return None;
        }
    }
    Some(found)
}

fn take<'a>(rest: &mut &'a str, belongs: impl Fn(char) -> bool) -> &'a str {
    let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    let (taken, after) = rest.split_at(end);
    *rest = after;
    taken
}

fn digits(rest: &mut &str) -> Option<Token> {
    let whole = *rest;
    let first = take(rest, |c| c.is_ascii_digit());
    match rest.chars().next() {
        Some(':') => {
            *rest = whole;
            Some(Token::Clock(
                take(rest, |c| c.is_ascii_digit() || matches!(c, ':' | '.')).to_owned(),
            ))
        }
        Some(delimiter @ ('-' | '/' | '.')) => {
            let mut parts = vec![first.to_owned()];
            while rest.starts_with(delimiter) {
                let after = &rest[1..];
                let alphabetic = after.starts_with(|c: char| c.is_ascii_alphabetic());
                if delimiter == '.' && alphabetic {
                    return None;
                }
                *rest = after;
                let part = take(rest, |c| {
                    if alphabetic {
                        c.is_ascii_alphabetic()
                    } else {
                        c.is_ascii_digit()
                    }
                });
                if part.is_empty() {
                    return None;
                }
                parts.push(part.to_owned());
            }
            match (delimiter, parts.as_slice()) {
                ('.', [whole, fraction]) => Some(Token::Fraction(format!("{whole}.{fraction}"))),
                _ => Some(Token::Date(parts)),
            }
        }
        _ => Some(Token::Number(first.to_owned())),
    }
}

/// A word; a month's name may begin a date (`jan-08-1999`), and a zone's name may go on with digits, slashes and signs.
fn word(rest: &mut &str) -> Token {
    let letters = take(rest, |c| c.is_ascii_alphabetic());
    if super::fields::month(letters).is_some() && rest.starts_with(['-', '/']) {
        let delimiter = rest.chars().next().unwrap_or('-');
        let joined = take(rest, |c| c.is_ascii_digit() || c == delimiter);
        let parts = std::iter::once(letters).chain(joined.split(delimiter).skip(1));
        return Token::Date(parts.map(str::to_owned).collect());
    }
    if rest.starts_with(['/', '_']) {
        let tail = take(rest, |c| {
            c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+')
        });
        return Token::Word(format!("{letters}{tail}"));
    }
    Token::Word(letters.to_owned())
}
