//! `LISTEN`, `NOTIFY` and `UNLISTEN`.

use super::{Parsed, Reader};
use crate::{Error, Kind};

/// Reads one of the three.
pub(super) fn parse(reader: &mut Reader<'_, '_>) -> Result<Parsed, Error> {
    let (kind, tag) = if reader.eat("LISTEN") {
        (Kind::Listen(reader.name()?), "LISTEN")
    } else if reader.eat("UNLISTEN") {
        let channel = if reader.eat_symbol("*") {
            None
        } else {
            Some(reader.name()?)
        };
        (Kind::Unlisten(channel), "UNLISTEN")
    } else {
        reader.expect("NOTIFY")?;
        let channel = reader.name()?;
        let payload = if reader.eat_symbol(",") {
            reader.literal()?
        } else {
            String::new()
        };
        (Kind::Notify { channel, payload }, "NOTIFY")
    };
    reader.expect_end()?;
    Ok(Parsed::new(kind, tag))
}
