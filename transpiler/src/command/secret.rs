//! `CREATE SECRET` and `DROP SECRET`, of the few types and the one provider that name every key they use.
//!
//! Everything here is DuckDB's grammar; what could reach for the machine's own credentials has no place in it, and nothing
//! that says to which host requests go: an `ENDPOINT`, or a value that becomes a part of a host's name and is no such part.

use super::reader::commas;
use super::{Parsed, Reader};
use crate::lex::Token;
use crate::{Error, Kind};

/// Secret types that name their keys themselves and open object stores only.
const TYPES: &[&str] = &["s3", "r2", "gcs"];

/// A statement about a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretStatement {
    /// What happens to it.
    pub action: SecretAction,
    /// Its name, folded.
    pub name: String,
    /// For how long.
    pub persistence: SecretPersistence,
    /// What to do where it is there already (or, for a drop, is not).
    pub conflict: SecretConflict,
    /// DuckDB's statement: never `PERSISTENT`, the control plane keeps secrets itself.
    pub engine_sql: String,
    /// The value of every option but the type and the provider, for redaction.
    pub literals: Vec<String>,
}

impl std::fmt::Debug for SecretStatement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecretStatement")
            .field("action", &self.action)
            .field("name", &self.name)
            .field("persistence", &self.persistence)
            .field("conflict", &self.conflict)
            .finish_non_exhaustive()
    }
}

/// What happens to a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretAction {
    /// It is made.
    Create,
    /// It is dropped.
    Drop,
}

/// For how long a secret lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretPersistence {
    /// Beyond the session.
    Persistent,
    /// With the session. A drop that names neither takes either.
    Session,
}

/// What to do where a secret is there already or, for a drop, is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretConflict {
    /// 42710, or 42704 for a drop.
    Error,
    /// The new one takes its place.
    Replace,
    /// Nothing happens.
    Ignore,
}

/// Whether a statement is about secrets, whatever else is wrong with it.
pub(super) fn is_secret(tokens: &[Token<'_>]) -> bool {
    const NOISE: &[&str] = &["OR", "REPLACE", "PERSISTENT", "TEMPORARY", "TEMP"];
    tokens
        .iter()
        .skip(1)
        .find(|token| !NOISE.iter().any(|word| token.is_word(word)))
        .is_some_and(|token| token.is_word("SECRET"))
}

/// Reads a statement that [`is_secret`].
pub(super) fn parse(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    if reader.eat("DROP") {
        return drop(reader);
    }
    reader.expect("CREATE")?;
    create(reader)
}

fn create(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    let replace = reader.eat("OR REPLACE");
    let persistence = persistence(reader);
    reader.expect("SECRET")?;
    let ignore = reader.eat("IF NOT EXISTS");
    if reader.eat_symbol("(") {
        return Err(Error::forbidden("a secret without a name"));
    }
    let name = name(reader)?;
    if reader.eat("IN") {
        return Err(Error::forbidden("secret storage"));
    }
    reader.expect_symbol("(")?;
    let mut options = Vec::new();
    for part in commas(reader.group()?) {
        options.push(option(reader, part)?);
    }
    reader.expect_end()?;
    check(&options)?;
    let conflict = match (replace, ignore) {
        (true, false) => SecretConflict::Replace,
        (false, true) => SecretConflict::Ignore,
        (false, false) => SecretConflict::Error,
        (true, true) => return Err(reader.unexpected()),
    };
    let written: Vec<String> = options.iter().map(SecretOption::sql).collect();
    let engine_sql = format!(
        "CREATE{} TEMPORARY SECRET{} {} ({})",
        if replace { " OR REPLACE" } else { "" },
        if ignore { " IF NOT EXISTS" } else { "" },
        crate::session::identifier(&name),
        written.join(", ")
    );
    let literals = options
        .into_iter()
        .filter(|option| !matches!(option.name.as_str(), "type" | "provider"))
        .flat_map(|option| option.values)
        .collect();
    Ok(parsed(
        SecretStatement {
            action: SecretAction::Create,
            name,
            persistence,
            conflict,
            engine_sql,
            literals,
        },
        "CREATE SECRET",
    ))
}

fn drop(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    let persistence = persistence(reader);
    reader.expect("SECRET")?;
    let ignore = reader.eat("IF EXISTS");
    let name = name(reader)?;
    if reader.eat("FROM") {
        return Err(Error::forbidden("secret storage"));
    }
    reader.expect_end()?;
    let engine_sql = format!(
        "DROP TEMPORARY SECRET{} {}",
        if ignore { " IF EXISTS" } else { "" },
        crate::session::identifier(&name)
    );
    Ok(parsed(
        SecretStatement {
            action: SecretAction::Drop,
            name,
            persistence,
            conflict: if ignore {
                SecretConflict::Ignore
            } else {
                SecretConflict::Error
            },
            engine_sql,
            literals: Vec::new(),
        },
        "DROP SECRET",
    ))
}

/// A secret's name; those of Pintail and of the engine begin with two underscores.
fn name(reader: &mut Reader<'_, '_>) -> Result<String, Error> {
    let name = reader.name()?;
    if name.starts_with("__") {
        return Err(Error::forbidden(format!("secret {name}")));
    }
    Ok(name)
}

fn parsed(statement: SecretStatement, tag: &str) -> Parsed {
    Parsed::new(Kind::Secret(statement), tag)
}

fn persistence(reader: &mut Reader<'_, '_>) -> SecretPersistence {
    if reader.eat("PERSISTENT") {
        return SecretPersistence::Persistent;
    }
    let _ = reader.eat_any(&["TEMPORARY", "TEMP"]);
    SecretPersistence::Session
}

/// `NAME value` of a secret.
struct SecretOption {
    /// Lower case.
    name: String,
    values: Vec<String>,
    list: bool,
}

impl SecretOption {
    fn sql(&self) -> String {
        let values: Vec<String> = self.values.iter().map(|value| crate::session::literal(value)).collect();
        if self.list {
            return format!("{} [{}]", self.name, values.join(", "));
        }
        format!("{} {}", self.name, values.join(", "))
    }
}

fn option(reader: &Reader<'_, '_>, tokens: &[Token<'_>]) -> Result<SecretOption, Error> {
    let Some((name, rest)) = tokens.split_first() else {
        return Err(reader.unexpected());
    };
    let name = name.name().ok_or_else(|| reader.unexpected())?;
    let rest = match rest {
        [equals, rest @ ..] if equals.is_symbol("=") => rest,
        rest => rest,
    };
    let (values, list) = match rest {
        [one] => (vec![value(reader, one)?], false),
        [open, inside @ .., close]
            if (open.is_symbol("[") && close.is_symbol("]")) || (open.is_symbol("(") && close.is_symbol(")")) =>
        {
            let values = commas(inside)
                .into_iter()
                .map(|part| match part {
                    [one] => value(reader, one),
                    _ => Err(Error::forbidden(format!("secret option {name}"))),
                })
                .collect::<Result<Vec<_>, _>>()?;
            (values, true)
        }
        _ => return Err(Error::forbidden(format!("secret option {name}"))),
    };
    Ok(SecretOption { name, values, list })
}

fn value(reader: &Reader<'_, '_>, token: &Token<'_>) -> Result<String, Error> {
    use crate::lex::TokenKind::Number;
    if token.kind == Number {
        return Ok(token.text.to_owned());
    }
    token
        .literal()
        .or_else(|| token.name())
        .ok_or_else(|| reader.unexpected())
}

/// Options that the listed types take with the provider `config`.
const OPTIONS: &[&str] = &[
    "type",
    "provider",
    "scope",
    "key_id",
    "secret",
    "session_token",
    "region",
    "url_style",
    "use_ssl",
    "url_compatibility_mode",
    "account_id",
];

fn check(options: &[SecretOption]) -> Result<(), Error> {
    for (i, option) in options.iter().enumerate() {
        let known = OPTIONS.contains(&option.name.as_str());
        let list_is_well = !option.list || option.name == "scope";
        if !known || !list_is_well || options[..i].iter().any(|other| other.name == option.name) {
            return Err(Error::forbidden(format!("secret option {}", option.name)));
        }
    }
    let one = |name: &str| {
        options
            .iter()
            .find(|option| option.name == name)
            .and_then(|option| option.values.first())
            .map(|value| value.to_lowercase())
    };
    for option in options {
        let wrong = |value: &String| value.contains(char::is_control) || !is_host_part(&option.name, value);
        if option.values.iter().any(wrong) {
            return Err(Error::forbidden(format!("secret option {}", option.name)));
        }
    }
    match one("type") {
        Some(kind) if TYPES.contains(&kind.as_str()) => {}
        Some(kind) => return Err(Error::forbidden(format!("secret type {kind}"))),
        None => return Err(Error::forbidden("a secret without a type")),
    }
    match one("provider") {
        None => {}
        Some(provider) if provider == "config" => {}
        Some(provider) => return Err(Error::forbidden(format!("secret provider {provider}"))),
    }
    let scope = options.iter().find(|option| option.name == "scope");
    if scope.is_none_or(|scope| scope.values.is_empty() || scope.values.iter().any(String::is_empty)) {
        return Err(Error::forbidden("a secret without a scope"));
    }
    Ok(())
}

/// Whether a value can stand where the engine puts that option's: the region and the account into the store's host, the
/// style into the request's address.
fn is_host_part(option: &str, value: &str) -> bool {
    match option {
        "region" | "account_id" => value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
        "url_style" => matches!(value.to_lowercase().as_str(), "path" | "vhost"),
        _ => true,
    }
}
