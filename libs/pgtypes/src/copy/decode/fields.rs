//! A line of text or CSV to its values (`CopyReadAttributesText`, `CopyReadAttributesCSV`).

use std::ops::Range;

use crate::Error;
use crate::copy::{CopyFormat, CopyOptions, CopyProblem};
use crate::params::utf8;

/// Takes lines apart; its buffers live as long as the `COPY`.
#[derive(Debug)]
pub(super) struct Fields {
    format: CopyFormat,
    delimiter: u8,
    null: Vec<u8>,
    quote: u8,
    escape: u8,
    found: Vec<Field>,
    /// Values that are not in the line as they are.
    scratch: Vec<u8>,
}

/// Where a value is.
#[derive(Debug, Clone)]
enum Field {
    Null,
    InLine(Range<usize>),
    Scratch(Range<usize>),
}

impl Fields {
    pub(super) fn new(options: &CopyOptions) -> Self {
        Self {
            format: options.format,
            delimiter: options.delimiter,
            null: options.null.clone().into_bytes(),
            quote: options.quote,
            escape: options.escape,
            found: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Splits a line.
    pub(super) fn split(&mut self, line: &str) -> Result<(), Error> {
        self.found.clear();
        self.scratch.clear();
        if self.format == CopyFormat::Csv {
            Ok(self.split_csv(line.as_bytes())?)
        } else {
            self.split_text(line.as_bytes())
        }
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// A value of `line`, which must be the line that was split; `None` for NULL, and for a value that is not there.
    pub(super) fn get<'a>(&'a self, line: &'a str, index: usize) -> Option<&'a str> {
        match self.found.get(index)? {
            Field::Null => None,
            Field::InLine(range) => line.get(range.clone()),
            Field::Scratch(range) => {
                let bytes = self.scratch.get(range.clone())?;
                std::str::from_utf8(bytes).ok()
            }
        }
    }

    fn split_text(&mut self, line: &[u8]) -> Result<(), Error> {
        let (mut start, mut at) = (0, 0);
        loop {
            let special = |byte: &u8| *byte == self.delimiter || *byte == b'\\';
            let end = line[at..].iter().position(special).map_or(line.len(), |step| at + step);
            if line.get(end) == Some(&b'\\') {
                at = self.escaped_text(line, start, end)?;
            } else {
                let is_null = line[start..end] == self.null;
                self.found.push(if is_null {
                    Field::Null
                } else {
                    Field::InLine(start..end)
                });
                at = end;
            }
            if at >= line.len() {
                return Ok(());
            }
            at += 1;
            start = at;
        }
    }

    /// Reads a value with a backslash at `at`; where its delimiter is.
    fn escaped_text(&mut self, line: &[u8], start: usize, mut at: usize) -> Result<usize, Error> {
        let before = self.scratch.len();
        self.scratch.extend_from_slice(&line[start..at]);
        // Bytes written by their numbers need not be characters.
        let mut numbered = false;
        while let Some(&byte) = line.get(at).filter(|byte| **byte != self.delimiter) {
            at += 1;
            if byte != b'\\' {
                self.scratch.push(byte);
                continue;
            }
            let Some(&letter) = line.get(at) else { break };
            let (value, length) = escape(letter, &line[at + 1..]);
            numbered |= length > 1 || value == 0;
            self.scratch.push(value);
            at += length;
        }
        let is_null = line[start..at] == self.null;
        if numbered && !is_null {
            utf8(&self.scratch[before..])?;
        }
        let range = before..self.scratch.len();
        self.found
            .push(if is_null { Field::Null } else { Field::Scratch(range) });
        Ok(at)
    }

    fn split_csv(&mut self, line: &[u8]) -> Result<(), CopyProblem> {
        let (mut start, mut at) = (0, 0);
        loop {
            let special = |byte: &u8| *byte == self.delimiter || *byte == self.quote;
            let end = line[at..].iter().position(special).map_or(line.len(), |step| at + step);
            if line.get(end).is_none_or(|byte| *byte == self.delimiter) {
                let is_null = line[start..end] == self.null;
                self.found.push(if is_null {
                    Field::Null
                } else {
                    Field::InLine(start..end)
                });
                at = end;
            } else {
                at = self.quoted_csv(line, start, end)?;
            }
            if at >= line.len() {
                return Ok(());
            }
            at += 1;
            start = at;
        }
    }

    /// Reads a value with a quote at `at`; where its delimiter is.
    fn quoted_csv(&mut self, line: &[u8], start: usize, mut at: usize) -> Result<usize, CopyProblem> {
        let before = self.scratch.len();
        self.scratch.extend_from_slice(&line[start..at]);
        let mut in_quote = false;
        while let Some(&byte) = line.get(at) {
            if !in_quote && byte == self.delimiter {
                break;
            }
            at += 1;
            if in_quote
                && byte == self.escape
                && let Some(&next) = line
                    .get(at)
                    .filter(|next| **next == self.escape || **next == self.quote)
            {
                self.scratch.push(next);
                at += 1;
            } else if byte == self.quote {
                in_quote = !in_quote;
            } else {
                self.scratch.push(byte);
            }
        }
        if in_quote {
            return Err(CopyProblem::OpenQuote);
        }
        self.found.push(Field::Scratch(before..self.scratch.len()));
        Ok(at)
    }
}

/// The byte that a backslash and what follows it stand for, and how many bytes that is.
fn escape(letter: u8, rest: &[u8]) -> (u8, usize) {
    let digits = |most: usize, base: u32, first: u8| {
        let value = |byte: &u8| char::from(*byte).to_digit(base);
        let more: Vec<_> = rest.iter().take(most).map_while(value).collect();
        let all = more.iter().fold(u32::from(first), |all, digit| all * base + digit);
        #[allow(clippy::cast_possible_truncation, reason = "PostgreSQL keeps the low eight bits")]
        let byte = all as u8;
        (byte, more.len())
    };
    match letter {
        b'0'..=b'7' => {
            let (byte, more) = digits(2, 8, letter - b'0');
            // A number counts as such, though it has one digit.
            (byte, 1 + more)
        }
        b'x' => match digits(2, 16, 0) {
            (_, 0) => (b'x', 1),
            (byte, more) => (byte, 1 + more),
        },
        b'b' => (8, 1),
        b'f' => (12, 1),
        b'n' => (b'\n', 1),
        b'r' => (b'\r', 1),
        b't' => (b'\t', 1),
        b'v' => (11, 1),
        other => (other, 1),
    }
}
