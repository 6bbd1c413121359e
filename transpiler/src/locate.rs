//! Where a name stands in a client's text.

use crate::lex::{self, Token, TokenKind};

/// The place of the one mention of `name`, in characters from 1; `None` where it is mentioned more than once, or not at all.
///
/// What qualifies a name belongs to its mention: PostgreSQL points at the beginning of `a.b`.
pub fn locate(text: &str, name: &str) -> Option<u32> {
    let tokens = lex::tokens(text).ok()?;
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_name = |token: &Token<'_>| {
        matches!(token.kind, TokenKind::Word | TokenKind::Quoted) && token.name().as_deref() == Some(last)
    };
    let mut mentions = (0..tokens.len()).filter(|&at| is_name(&tokens[at]));
    let (Some(mut at), None) = (mentions.next(), mentions.next()) else {
        return None;
    };
    while at >= 2 && tokens[at - 1].is_symbol(".") {
        at -= 2;
    }
    Some(lex::position(text, tokens[at].start))
}

#[cfg(test)]
mod tests {
    use super::locate;

    #[test]
    fn a_name_is_found_where_it_stands_alone() {
        assert_eq!(locate("SELECT é, t.\"No\" FROM t", "No"), Some(11));
        assert_eq!(locate("SELECT a FROM s.Gone", "gone"), Some(15));
        assert_eq!(locate("SELECT a, a FROM t", "a"), None);
        assert_eq!(locate("SELECT 'a'", "a"), None);
    }
}
