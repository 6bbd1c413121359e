//! `SET`, `RESET`, `SHOW` and `DISCARD`.

use super::transaction::{self, Transaction};
use super::{Parsed, Reader};
use crate::lex::TokenKind;
use crate::{Error, Kind, Returns, Tag};

/// A statement about the session's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Session {
    /// `SET name = value`; `SET TIME ZONE`, `SET NAMES`, `SET SCHEMA`, `SET ROLE`'s cousins arrive here under their
    /// settings' names.
    Set {
        /// For how long.
        scope: SetScope,
        /// Folded to lower case, dots included.
        name: String,
        /// The new value.
        value: SetValue,
    },
    /// `RESET name`.
    Reset(String),
    /// `RESET ALL`.
    ResetAll,
    /// `SHOW name`.
    Show(String),
    /// `SHOW ALL`.
    ShowAll,
    /// `DISCARD ALL`.
    DiscardAll,
    /// `DISCARD PLANS`.
    DiscardPlans,
    /// `DISCARD SEQUENCES`.
    DiscardSequences,
    /// `DISCARD TEMP`.
    DiscardTemp,
    /// `SET ROLE name`; `None` for `NONE` and `RESET ROLE`.
    SetRole {
        /// For how long.
        scope: SetScope,
        /// The role.
        role: Option<String>,
    },
    /// `SET SESSION AUTHORIZATION name`; `None` for `DEFAULT`.
    SetSessionAuthorization(Option<String>),
    /// `SET CONSTRAINTS …`, which changes nothing here.
    SetConstraints,
}

/// For how long a setting holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetScope {
    /// The session's rest, undone when the transaction rolls back.
    Session,
    /// The transaction's rest.
    Local,
}

/// What a setting is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetValue {
    /// `DEFAULT`.
    Default,
    /// The values as written, unquoted; one but for list settings such as `search_path`.
    List(Vec<String>),
}

/// Reads a statement about settings; `None` where DuckDB's own `SHOW`/`SET` forms are meant.
pub(super) fn parse(reader: &mut Reader<'_, '_>) -> Result<Option<Parsed>, Error> {
    if reader.eat("SET") {
        // DuckDB's own: SET VARIABLE x = …, SET GLOBAL x = ….
        if reader.rest().len() > 3 && reader.eat_any(&["VARIABLE", "GLOBAL"]) {
            return Ok(None);
        }
        return set(reader).map(Some);
    }
    if reader.eat("RESET") {
        let session = reset(reader)?;
        reader.expect_end()?;
        return Ok(Some(Parsed::new(Kind::Session(session), "RESET")));
    }
    if reader.eat("DISCARD") {
        return discard(reader).map(Some);
    }
    reader.next();
    show(reader)
}

fn set(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    if reader.eat("CONSTRAINTS") {
        return Ok(Parsed::new(Kind::Session(Session::SetConstraints), "SET CONSTRAINTS"));
    }
    if reader.eat("TRANSACTION SNAPSHOT") {
        return Err(Error::unsupported("SET TRANSACTION SNAPSHOT is not supported"));
    }
    if reader.eat("TRANSACTION") || reader.eat("LOCAL TRANSACTION") {
        let modes = transaction::modes(reader)?;
        return Ok(Parsed::new(
            Kind::Transaction(Transaction::SetTransaction(modes)),
            "SET",
        ));
    }
    if reader.eat("SESSION CHARACTERISTICS AS TRANSACTION") {
        let modes = transaction::modes(reader)?;
        return Ok(Parsed::new(
            Kind::Transaction(Transaction::SetCharacteristics(modes)),
            "SET",
        ));
    }
    let session = if reader.eat("SESSION AUTHORIZATION") {
        let name = word(reader)?;
        Session::SetSessionAuthorization((!name.eq_ignore_ascii_case("default")).then_some(name))
    } else {
        let scope = scope(reader);
        setting(reader, scope)?
    };
    reader.expect_end()?;
    Ok(Parsed::new(Kind::Session(session), "SET"))
}

fn scope(reader: &mut Reader<'_, '_>) -> SetScope {
    if reader.eat("LOCAL") {
        return SetScope::Local;
    }
    let _ = reader.eat("SESSION");
    SetScope::Session
}

fn setting(reader: &mut Reader<'_, '_>, scope: SetScope) -> Result<Session, Error> {
    if reader.eat("ROLE") {
        let role = word(reader)?;
        let role = (!role.eq_ignore_ascii_case("none")).then_some(role);
        return Ok(Session::SetRole { scope, role });
    }
    let (name, value) = if reader.eat("TIME ZONE") {
        ("timezone".to_owned(), time_zone(reader)?)
    } else if reader.eat("NAMES") {
        let value = if reader.at_end() {
            SetValue::Default
        } else {
            value(reader)?
        };
        ("client_encoding".to_owned(), value)
    } else if reader.eat("SCHEMA") {
        ("search_path".to_owned(), SetValue::List(vec![reader.literal()?]))
    } else {
        let name = reader.names()?.join(".");
        if !reader.eat("TO") {
            reader.expect_symbol("=")?;
        }
        (name, value(reader)?)
    };
    if let SetValue::List(entries) = &value
        && name == "search_path"
    {
        let each = entries.iter().flat_map(|entry| entry.split(','));
        crate::rules::check_search_path(each.map(|entry| entry.trim().trim_matches('"')))?;
    }
    Ok(Session::Set { scope, name, value })
}

fn time_zone(reader: &mut Reader<'_, '_>) -> Result<SetValue, Error> {
    if reader.eat_any(&["LOCAL", "DEFAULT"]) {
        return Ok(SetValue::Default);
    }
    if reader.eat("INTERVAL") {
        let value = reader.literal()?;
        if reader.eat("HOUR") {
            let _ = reader.eat("TO MINUTE");
        }
        return Ok(SetValue::List(vec![hours_east(&value).unwrap_or(value)]));
    }
    value(reader)
}

/// An interval such as `-08:00` in hours: as the setting's own value, hours and minutes would count west.
fn hours_east(interval: &str) -> Option<String> {
    let (sign, digits) = match interval.trim().strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", interval.trim().trim_start_matches('+')),
    };
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    if minutes == 0 {
        return Some(format!("{sign}{hours}"));
    }
    Some(format!("{sign}{}", f64::from(hours) + f64::from(minutes) / 60.0))
}

fn value(reader: &mut Reader<'_, '_>) -> Result<SetValue, Error> {
    if reader.eat("DEFAULT") {
        return Ok(SetValue::Default);
    }
    let mut list = vec![word(reader)?];
    while reader.eat_symbol(",") {
        list.push(word(reader)?);
    }
    Ok(SetValue::List(list))
}

/// A name, a literal or a signed number, as its text.
fn word(reader: &mut Reader<'_, '_>) -> Result<String, Error> {
    let sign = if reader.eat_symbol("-") { "-" } else { "" };
    let Some(token) = reader.peek() else {
        return Err(reader.unexpected());
    };
    if token.kind == TokenKind::Number {
        reader.next();
        return Ok(format!("{sign}{}", token.text));
    }
    if let Some(value) = token.literal() {
        reader.next();
        return Ok(value);
    }
    reader.name()
}

fn reset(reader: &mut Reader<'_, '_>) -> Result<Session, Error> {
    Ok(if reader.eat("ALL") {
        Session::ResetAll
    } else if reader.eat("TIME ZONE") {
        Session::Reset("timezone".to_owned())
    } else if reader.eat("SESSION AUTHORIZATION") {
        Session::SetSessionAuthorization(None)
    } else if reader.eat("ROLE") {
        Session::SetRole {
            scope: SetScope::Session,
            role: None,
        }
    } else {
        Session::Reset(reader.names()?.join("."))
    })
}

fn show(reader: &mut Reader<'_, '_>) -> Result<Option<Parsed>, Error> {
    // DuckDB's own: SHOW TABLES, SHOW DATABASES, SHOW ALL TABLES, SHOW (query), SHOW t.
    let session = if reader.eat("ALL") {
        if !reader.at_end() {
            return Ok(None);
        }
        Session::ShowAll
    } else if reader.eat("TIME ZONE") {
        Session::Show("timezone".to_owned())
    } else if reader.eat("TRANSACTION ISOLATION LEVEL") {
        Session::Show("transaction_isolation".to_owned())
    } else if reader.eat("SESSION AUTHORIZATION") {
        Session::Show("session_authorization".to_owned())
    } else if reader.eat_any(&["TABLES", "DATABASES", "VARIABLES", "SCHEMAS"]) || reader.eat_symbol("(") {
        return Ok(None);
    } else {
        Session::Show(reader.names()?.join("."))
    };
    if !reader.at_end() {
        return Ok(None);
    }
    Ok(Some(Parsed {
        kind: Kind::Session(session),
        tag: Tag::Fixed("SHOW".to_owned()),
        returns: Returns::Rows,
    }))
}

fn discard(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    let (session, tag) = if reader.eat("ALL") {
        (Session::DiscardAll, "DISCARD ALL")
    } else if reader.eat("PLANS") {
        (Session::DiscardPlans, "DISCARD PLANS")
    } else if reader.eat("SEQUENCES") {
        (Session::DiscardSequences, "DISCARD SEQUENCES")
    } else if reader.eat_any(&["TEMP", "TEMPORARY"]) {
        (Session::DiscardTemp, "DISCARD TEMP")
    } else {
        return Err(reader.unexpected());
    };
    reader.expect_end()?;
    Ok(Parsed::new(Kind::Session(session), tag))
}
