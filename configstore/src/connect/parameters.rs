//! Taking `sslmode` and `sslrootcert` out of a connection string, which tokio-postgres does not know in full.

use super::bad;
use crate::Error;

/// The parameters about TLS.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ssl {
    pub(super) mode: Option<String>,
    pub(super) root_certificate: Option<String>,
}

/// The connection string without them, and them.
pub(super) fn take(text: &str) -> Result<(String, Ssl), Error> {
    let mut ssl = Ssl::default();
    let rest = if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        from_url(text, &mut ssl)?
    } else {
        from_pairs(text, &mut ssl)?
    };
    Ok((rest, ssl))
}

impl Ssl {
    /// As libpq's variables (manual, "Environment Variables"); its default asks for less than a URL that names nothing here.
    pub(super) fn for_libpq(&self) -> Vec<(&'static str, String)> {
        let mode = self.mode.clone().unwrap_or_else(|| "disable".to_owned());
        let root = match (&self.root_certificate, mode.as_str()) {
            (Some(path), _) => Some(path.clone()),
            // Without a file, the certificates that the machine trusts.
            (None, "verify-full") => Some("system".to_owned()),
            _ => None,
        };
        let root = root.map(|path| ("PGSSLROOTCERT", path));
        std::iter::once(("PGSSLMODE", mode)).chain(root).collect()
    }

    /// Keeps a parameter that is about TLS; says whether it was.
    fn keep(&mut self, key: &str, value: String) -> bool {
        match key {
            "sslmode" => self.mode = Some(value),
            "sslrootcert" => self.root_certificate = Some(value),
            _ => return false,
        }
        true
    }
}

fn from_url(url: &str, ssl: &mut Ssl) -> Result<String, Error> {
    // A `?` before the `@` belongs to the password.
    let after_user = url.find('@').unwrap_or_default();
    let Some(start) = url[after_user..].find('?').map(|at| after_user + at) else {
        return Ok(url.to_owned());
    };
    let mut kept = Vec::new();
    for pair in url[start + 1..].split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if !ssl.keep(key, decode(value)?) {
            kept.push(pair);
        }
    }
    let base = &url[..start];
    Ok(if kept.is_empty() {
        base.to_owned()
    } else {
        format!("{base}?{}", kept.join("&"))
    })
}

/// Percent-decoding (RFC 3986, section 2.1).
fn decode(value: &str) -> Result<String, Error> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match (digit(rest.next()), digit(rest.next())) {
            (Some(high), Some(low)) => bytes.push(u8::try_from(high * 16 + low).unwrap_or_default()),
            _ => return Err(bad("a parameter is not percent-encoded as it should be")),
        }
    }
    String::from_utf8(bytes).map_err(|_| bad("a parameter is not UTF-8"))
}

/// `key = value` and `key = 'va\'lue'`, separated by white space (manual, "Keyword/Value Connection Strings").
fn from_pairs(text: &str, ssl: &mut Ssl) -> Result<String, Error> {
    let mut kept = String::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (key, after) = rest
            .split_once('=')
            .ok_or_else(|| bad("it is neither a URL nor a list of key=value"))?;
        let after = after.trim_start();
        let (value, length) = value(after)?;
        if !ssl.keep(key.trim(), value) {
            kept.push_str(&rest[..rest.len() - after.len() + length]);
            kept.push(' ');
        }
        rest = after[length..].trim_start();
    }
    Ok(kept)
}

/// A value and how many bytes it takes.
fn value(text: &str) -> Result<(String, usize), Error> {
    let quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut characters = text.char_indices().skip(usize::from(quoted));
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => value.extend(characters.next().map(|(_, character)| character)),
            '\'' if quoted => return Ok((value, at + 1)),
            character if !quoted && character.is_whitespace() => return Ok((value, at)),
            character => value.push(character),
        }
    }
    if quoted {
        Err(bad("a quoted value has no end"))
    } else {
        Ok((value, text.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> (String, Option<String>, Option<String>) {
        let (rest, ssl) = take(text).expect("understood");
        (rest.trim().to_owned(), ssl.mode, ssl.root_certificate)
    }

    #[test]
    fn urls_lose_what_is_about_tls_and_nothing_else() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            taken("postgres://u:p?sslmode=x@h/d?connect_timeout=3&sslmode=verify-full&sslrootcert=%2Fa%20b.pem"),
            (
                "postgres://u:p?sslmode=x@h/d?connect_timeout=3".into(),
                some("verify-full"),
                some("/a b.pem")
            )
        );
        assert_eq!(
            taken("postgresql://u:p@h/d?sslmode=require"),
            ("postgresql://u:p@h/d".into(), some("require"), None)
        );
        assert_eq!(taken("postgres://u:p@h/d"), ("postgres://u:p@h/d".into(), None, None));
    }

    #[test]
    fn pairs_may_be_quoted_and_spaced() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            taken(r"host = h  sslmode='verify-ca' password='it\'s sslmode=off' sslrootcert = /a\ b.pem user=u"),
            (
                r"host = h password='it\'s sslmode=off' user=u".into(),
                some("verify-ca"),
                some("/a b.pem")
            )
        );
        assert!(take("host='h").is_err());
        assert!(take("nonsense").is_err());
    }
}
