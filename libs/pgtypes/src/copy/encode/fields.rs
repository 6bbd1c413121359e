//! Lines of text and CSV (`CopyAttributeOutText`, `CopyAttributeOutCSV`).

use super::{HEAD, close, open};
use crate::Error;
use crate::copy::CopyOptions;
use crate::encode::cells::Cells;

/// Text: what is escaped, and how.
pub(super) struct Text {
    delimiter: u8,
    null: Vec<u8>,
    plain: Vec<bool>,
    /// What follows the backslash before a byte; 0 for bytes that need none.
    escapes: [u8; 256],
}

/// CSV: what is quoted, and how.
pub(super) struct Csv {
    delimiter: u8,
    null: Vec<u8>,
    quote: u8,
    escape: u8,
    plain: Vec<bool>,
    forced: Vec<bool>,
    /// Bytes for which a value is quoted.
    special: [bool; 256],
}

impl Text {
    pub(super) fn new(options: &CopyOptions, plain: Vec<bool>) -> Self {
        let mut escapes = [0; 256];
        for (byte, letter) in [(8, b'b'), (9, b't'), (10, b'n'), (11, b'v'), (12, b'f'), (13, b'r')] {
            escapes[byte] = letter;
        }
        escapes[usize::from(b'\\')] = b'\\';
        // A delimiter that has a letter of its own is written by it.
        let own = &mut escapes[usize::from(options.delimiter)];
        if *own == 0 {
            *own = options.delimiter;
        }
        Self {
            delimiter: options.delimiter,
            null: options.null.clone().into_bytes(),
            plain,
            escapes,
        }
    }

    pub(super) fn name(&self, index: usize, name: &str, out: &mut Vec<u8>) {
        if index > 0 {
            out.push(self.delimiter);
        }
        self.escaped(name.as_bytes(), out);
    }

    pub(super) fn rows(&self, columns: &[Cells<'_>], rows: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        lines(columns, rows, self.delimiter, out, |index, value, out| match value {
            None => out.extend_from_slice(&self.null),
            Some(value) if self.plain[index] => out.extend_from_slice(value),
            Some(value) => self.escaped(value, out),
        })
    }

    fn escaped(&self, value: &[u8], out: &mut Vec<u8>) {
        let mut rest = value;
        while let Some(at) = rest.iter().position(|byte| self.escapes[usize::from(*byte)] != 0) {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(&[b'\\', self.escapes[usize::from(rest[at])]]);
            rest = &rest[at + 1..];
        }
        out.extend_from_slice(rest);
    }
}

impl Csv {
    pub(super) fn new(options: &CopyOptions, plain: Vec<bool>, forced: Vec<bool>) -> Self {
        let mut special = [false; 256];
        for byte in [options.delimiter, options.quote, b'\n', b'\r'] {
            special[usize::from(byte)] = true;
        }
        Self {
            delimiter: options.delimiter,
            null: options.null.clone().into_bytes(),
            quote: options.quote,
            escape: options.escape,
            plain,
            forced,
            special,
        }
    }

    pub(super) fn name(&self, index: usize, name: &str, is_alone: bool, out: &mut Vec<u8>) {
        if index > 0 {
            out.push(self.delimiter);
        }
        self.quoted_if(false, name.as_bytes(), is_alone, out);
    }

    pub(super) fn rows(&self, columns: &[Cells<'_>], rows: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let is_alone = columns.len() == 1;
        lines(columns, rows, self.delimiter, out, |index, value, out| match value {
            None => out.extend_from_slice(&self.null),
            Some(value) if self.plain[index] && !self.forced[index] => out.extend_from_slice(value),
            Some(value) => self.quoted_if(self.forced[index], value, is_alone, out),
        })
    }

    fn quoted_if(&self, forced: bool, value: &[u8], is_alone: bool, out: &mut Vec<u8>) {
        let needed = forced
            || value == self.null
            || is_alone && value == b"\\."
            || value.iter().any(|byte| self.special[usize::from(*byte)]);
        if !needed {
            return out.extend_from_slice(value);
        }
        out.push(self.quote);
        let mut rest = value;
        while let Some(at) = rest.iter().position(|byte| *byte == self.quote || *byte == self.escape) {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(&[self.escape, rest[at]]);
            rest = &rest[at + 1..];
        }
        out.extend_from_slice(rest);
        out.push(self.quote);
    }
}

/// Appends `rows` messages of one line each, whose values `write` appends.
fn lines(
    columns: &[Cells<'_>],
    rows: usize,
    delimiter: u8,
    out: &mut Vec<u8>,
    write: impl Fn(usize, Option<&[u8]>, &mut Vec<u8>),
) -> Result<(), Error> {
    let values = columns.iter().flat_map(|column| column.spans);
    let bytes: usize = values.map(|span| usize::try_from(span.len).unwrap_or(0)).sum();
    out.reserve(bytes + rows * (HEAD + 2 * columns.len() + 1));
    for row in 0..rows {
        let start = open(out);
        for (index, column) in columns.iter().enumerate() {
            if index > 0 {
                out.push(delimiter);
            }
            write(index, column.get(row), out);
        }
        out.push(b'\n');
        close(out, start)?;
    }
    Ok(())
}
