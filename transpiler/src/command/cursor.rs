//! `DECLARE`, `FETCH`, `MOVE` and `CLOSE`.

use super::{Parsed, Reader};
use crate::lex::Token;
use crate::{Error, Kind, Returns, Statement, Tag};

/// A cursor statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cursor {
    /// `DECLARE name CURSOR FOR query`.
    Declare {
        /// The cursor's name.
        name: String,
        /// `BINARY`: values go out in binary format.
        binary: bool,
        /// `SCROLL` or `NO SCROLL`; `None` where the client leaves it.
        scroll: Option<bool>,
        /// `WITH HOLD`.
        hold: bool,
        /// The query.
        query: Box<Statement>,
    },
    /// `FETCH`.
    Fetch {
        /// The cursor's name.
        name: String,
        /// Which rows.
        direction: Direction,
    },
    /// `MOVE`: as `FETCH`, without the rows.
    Move {
        /// The cursor's name.
        name: String,
        /// Which rows.
        direction: Direction,
    },
    /// `CLOSE name`; `None` for `CLOSE ALL`.
    Close(Option<String>),
}

/// Which rows of a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Rows after the current one; `NEXT` is one of them.
    Forward(Count),
    /// Rows before the current one; `PRIOR` is one of them.
    Backward(Count),
    /// The n-th row; negative from the end. `FIRST` is 1, `LAST` is −1.
    Absolute(i64),
    /// The n-th row from the current one.
    Relative(i64),
}

/// How many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// So many; 0 is the current row again.
    Rows(u64),
    /// All that remain.
    All,
}

/// Reads a cursor statement.
pub(super) fn parse(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    if reader.eat("DECLARE") {
        return declare(reader);
    }
    if reader.eat("CLOSE") {
        let name = reader.name()?;
        reader.expect_end()?;
        let (name, tag) = if name == "all" {
            (None, "CLOSE CURSOR ALL")
        } else {
            (Some(name), "CLOSE CURSOR")
        };
        return Ok(Parsed::new(Kind::Cursor(Cursor::Close(name)), tag));
    }
    let fetch = reader.eat("FETCH");
    if !fetch {
        reader.expect("MOVE")?;
    }
    let direction = direction(reader)?;
    let _ = reader.eat_any(&["FROM", "IN"]);
    let name = reader.name()?;
    reader.expect_end()?;
    Ok(if fetch {
        Parsed {
            kind: Kind::Cursor(Cursor::Fetch { name, direction }),
            tag: Tag::Rows("FETCH"),
            returns: Returns::Rows,
        }
    } else {
        Parsed {
            kind: Kind::Cursor(Cursor::Move { name, direction }),
            tag: Tag::Rows("MOVE"),
            returns: Returns::Nothing,
        }
    })
}

fn declare(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    let name = reader.name()?;
    let (mut binary, mut scroll) = (false, None);
    let mut scrolls = |wanted: bool| match scroll.replace(wanted) {
        Some(before) if before != wanted => Err(Error::invalid(
            pintail_sqlstate::SqlState::INVALID_CURSOR_DEFINITION,
            "cannot specify both SCROLL and NO SCROLL",
        )),
        _ => Ok(()),
    };
    let mut sensitive = None;
    while !reader.eat("CURSOR") {
        if reader.eat("BINARY") {
            binary = true;
        } else if reader.eat("NO SCROLL") {
            scrolls(false)?;
        } else if reader.eat("SCROLL") {
            scrolls(true)?;
        } else {
            let word = if reader.eat("INSENSITIVE") {
                "INSENSITIVE"
            } else if reader.eat("ASENSITIVE") {
                "ASENSITIVE"
            } else {
                return Err(reader.unexpected());
            };
            if sensitive.replace(word).is_some_and(|before| before != word) {
                return Err(Error::invalid(
                    pintail_sqlstate::SqlState::INVALID_CURSOR_DEFINITION,
                    "cannot specify both INSENSITIVE and ASENSITIVE",
                ));
            }
        }
    }
    let hold = reader.eat("WITH HOLD");
    if !hold {
        let _ = reader.eat("WITHOUT HOLD");
    }
    reader.expect("FOR")?;
    let begins = |token: &Token<'_>| {
        token.text == "("
            || ["SELECT", "WITH", "VALUES", "TABLE", "FROM"]
                .iter()
                .any(|word| token.is_word(word))
    };
    if !reader.peek().is_some_and(begins) {
        return Err(reader.unexpected());
    }
    let query = Box::new(reader.statement()?);
    if query.kind != Kind::Read {
        return Err(Error::invalid(
            pintail_sqlstate::SqlState::INVALID_CURSOR_DEFINITION,
            "DECLARE CURSOR must not contain data-modifying statements",
        ));
    }
    let cursor = Cursor::Declare {
        name,
        binary,
        scroll,
        hold,
        query,
    };
    Ok(Parsed::new(Kind::Cursor(cursor), "DECLARE CURSOR"))
}

fn direction(reader: &mut Reader<'_, '_>) -> Result<Direction, Error> {
    // A cursor may bear a direction's name: `FETCH next` with nothing after it.
    if reader.rest().len() == 1 {
        return Ok(Direction::Forward(Count::Rows(1)));
    }
    Ok(if reader.eat("NEXT") {
        Direction::Forward(Count::Rows(1))
    } else if reader.eat("PRIOR") {
        Direction::Backward(Count::Rows(1))
    } else if reader.eat("FIRST") {
        Direction::Absolute(1)
    } else if reader.eat("LAST") {
        Direction::Absolute(-1)
    } else if reader.eat("ABSOLUTE") {
        Direction::Absolute(reader.integer().ok_or_else(|| reader.unexpected())?)
    } else if reader.eat("RELATIVE") {
        Direction::Relative(reader.integer().ok_or_else(|| reader.unexpected())?)
    } else if reader.eat("FORWARD") {
        counted(reader, 1)
    } else if reader.eat("BACKWARD") {
        counted(reader, -1)
    } else if reader.eat("ALL") {
        Direction::Forward(Count::All)
    } else if let Some(n) = reader.integer() {
        rows(n)
    } else {
        Direction::Forward(Count::Rows(1))
    })
}

fn counted(reader: &mut Reader<'_, '_>, sign: i64) -> Direction {
    if reader.eat("ALL") {
        return if sign > 0 {
            Direction::Forward(Count::All)
        } else {
            Direction::Backward(Count::All)
        };
    }
    rows(sign * reader.integer().unwrap_or(1))
}

fn rows(n: i64) -> Direction {
    let count = Count::Rows(n.unsigned_abs());
    if n < 0 {
        Direction::Backward(count)
    } else {
        Direction::Forward(count)
    }
}
