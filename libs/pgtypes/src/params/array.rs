//! Arrays from their literals (`array_in`) and their binary form (`array_recv`).

use super::binary::exact;
use super::{ArrayValue, ParamValue, binary, text};
use crate::encode::MAX_DIMENSIONS;
use crate::{Error, RenderSettings, oid};

/// The most elements that `PostgreSQL` lets an array have (`MaxArraySize`).
const MOST_ELEMENTS: usize = 0x3fff_ffff / 8;

const RAGGED: &str = "Multidimensional arrays must have sub-arrays with matching dimensions.";

pub(super) fn from_text(
    type_oid: u32,
    element_oid: u32,
    literal: &str,
    settings: &RenderSettings,
) -> Result<ArrayValue, Error> {
    if matches!(type_oid, oid::INT2VECTOR | oid::OIDVECTOR) {
        let values: Vec<_> = literal
            .split_ascii_whitespace()
            .map(|word| text::decode(element_oid, word, settings))
            .collect::<Result<_, _>>()?;
        let dims = if values.is_empty() {
            Vec::new()
        } else {
            vec![values.len()]
        };
        return Ok(ArrayValue {
            element_oid,
            dims,
            values,
        });
    }
    let mut reader = Literal {
        whole: literal,
        rest: literal.trim(),
        element_oid,
        settings,
        dims: Vec::new(),
        leaves_at: None,
        values: Vec::new(),
    };
    reader.skip_bounds()?;
    if !reader.rest.starts_with('{') {
        return Err(reader.malformed("Array value must start with \"{\" or dimension information."));
    }
    reader.list(0)?;
    if !reader.rest.trim_start().is_empty() {
        return Err(reader.malformed("Junk after closing right brace."));
    }
    let mut dims = reader.dims;
    if reader.values.is_empty() {
        dims.clear();
    }
    Ok(ArrayValue {
        element_oid,
        dims,
        values: reader.values,
    })
}

struct Literal<'a> {
    whole: &'a str,
    rest: &'a str,
    element_oid: u32,
    settings: &'a RenderSettings,
    dims: Vec<usize>,
    leaves_at: Option<usize>,
    values: Vec<ParamValue>,
}

impl Literal<'_> {
    fn malformed(&self, detail: &'static str) -> Error {
        Error::BadArrayLiteral {
            value: self.whole.to_owned(),
            detail,
        }
    }

    /// Steps over `[1:2][0:1]=`: the engine counts from one, so bounds say nothing that the braces do not.
    fn skip_bounds(&mut self) -> Result<(), Error> {
        if !self.rest.starts_with('[') {
            return Ok(());
        }
        let (bounds, after) = self
            .rest
            .split_once('=')
            .ok_or_else(|| self.malformed("Missing \"=\" after array dimensions."))?;
        let valid = |b: u8| b.is_ascii_digit() || matches!(b, b'[' | b']' | b':' | b'+' | b'-' | b' ');
        if !bounds.bytes().all(valid) || !bounds.trim_end().ends_with(']') {
            return Err(self.malformed("Missing \"]\" after array dimensions."));
        }
        self.rest = after.trim_start();
        Ok(())
    }

    fn next_char(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// Reads from an opening brace to its closing one.
    fn list(&mut self, level: usize) -> Result<(), Error> {
        if level >= MAX_DIMENSIONS {
            return Err(Error::TooManyDimensions { count: level + 1 });
        }
        self.next_char();
        self.rest = self.rest.trim_start();
        let mut count = 0;
        if self.rest.starts_with('}') {
            self.next_char();
        } else {
            loop {
                self.rest = self.rest.trim_start();
                if self.rest.starts_with('{') {
                    if self.leaves_at.is_some_and(|leaves| leaves <= level) {
                        return Err(self.malformed(RAGGED));
                    }
                    self.list(level + 1)?;
                } else {
                    // All elements lie at one depth.
                    if *self.leaves_at.get_or_insert(level) != level {
                        return Err(self.malformed(RAGGED));
                    }
                    let value = self.element()?;
                    self.values.push(value);
                }
                count += 1;
                self.rest = self.rest.trim_start();
                match self.next_char() {
                    Some(',') => {}
                    Some('}') => break,
                    Some(_) => return Err(self.malformed("Unexpected array element.")),
                    None => return Err(self.malformed("Unexpected end of input.")),
                }
            }
        }
        self.note(level, count)
    }

    /// Remembers a list's length, or compares it with its sisters'.
    fn note(&mut self, level: usize, count: usize) -> Result<(), Error> {
        const OPEN: usize = usize::MAX;
        if self.dims.len() <= level {
            self.dims.resize(level + 1, OPEN);
        }
        match self.dims[level] {
            OPEN => self.dims[level] = count,
            known if known != count => return Err(self.malformed(RAGGED)),
            _ => {}
        }
        Ok(())
    }

    fn element(&mut self) -> Result<ParamValue, Error> {
        let mut value = String::new();
        let quoted = self.rest.starts_with('"');
        if quoted {
            self.next_char();
            loop {
                match self.next_char() {
                    Some('"') => break,
                    Some('\\') => value.push(
                        self.next_char()
                            .ok_or_else(|| self.malformed("Unexpected end of input."))?,
                    ),
                    Some(c) => value.push(c),
                    None => return Err(self.malformed("Unexpected end of input.")),
                }
            }
        } else {
            // Escaped spaces at the end belong to the element, plain ones do not.
            let mut kept = 0;
            let mut escaped = false;
            while let Some(c) = self.rest.chars().next().filter(|c| !matches!(c, ',' | '}')) {
                self.next_char();
                match c {
                    '{' | '"' => return Err(self.malformed("Unexpected \"{\" or quote character.")),
                    '\\' => {
                        value.push(
                            self.next_char()
                                .ok_or_else(|| self.malformed("Unexpected end of input."))?,
                        );
                        kept = value.len();
                        escaped = true;
                    }
                    c => {
                        value.push(c);
                        kept = if c.is_ascii_whitespace() { kept } else { value.len() };
                    }
                }
            }
            value.truncate(kept);
            if value.is_empty() {
                return Err(self.malformed("Unexpected \",\" or \"}\" character."));
            }
            if !escaped && value.eq_ignore_ascii_case("null") {
                return Ok(ParamValue::Null(self.element_oid));
            }
        }
        text::decode(self.element_oid, &value, self.settings)
    }
}

pub(super) fn from_binary(type_oid: u32, element_oid: u32, bytes: &[u8]) -> Result<ArrayValue, Error> {
    let bad = || Error::BadBinary { oid: type_oid };
    let mut rest = bytes;
    let mut word = || -> Result<i32, Error> {
        let (word, after) = rest
            .split_first_chunk::<4>()
            .ok_or(Error::ShortBinary { oid: type_oid })?;
        rest = after;
        Ok(i32::from_be_bytes(*word))
    };
    let (levels, flags, element) = (word()?, word()?, word()?);
    let levels = usize::try_from(levels).map_err(|_| bad())?;
    if levels > MAX_DIMENSIONS {
        return Err(Error::TooManyDimensions { count: levels });
    }
    if !matches!(flags, 0 | 1) || element.cast_unsigned() != element_oid {
        return Err(bad());
    }
    let mut dims = Vec::with_capacity(levels);
    let mut total = 1_usize;
    for _ in 0..levels {
        let len = usize::try_from(word()?).map_err(|_| bad())?;
        word()?;
        total = total
            .checked_mul(len)
            .filter(|&total| total <= MOST_ELEMENTS)
            .ok_or_else(bad)?;
        dims.push(len);
    }
    if levels == 0 || total == 0 {
        dims.clear();
        total = 0;
    }
    let values = elements(type_oid, element_oid, total, rest)?;
    Ok(ArrayValue {
        element_oid,
        dims,
        values,
    })
}

/// Reads `total` elements, which must be all there is.
fn elements(type_oid: u32, element_oid: u32, total: usize, bytes: &[u8]) -> Result<Vec<ParamValue>, Error> {
    let bad = || Error::BadBinary { oid: type_oid };
    let mut rest = bytes;
    // Each element takes at least its length, which bounds what a false count can make this allocate.
    let mut values = Vec::with_capacity(total.min(rest.len() / 4));
    for _ in 0..total {
        let (len, after) = rest.split_at_checked(4).ok_or(Error::ShortBinary { oid: type_oid })?;
        rest = after;
        let len = i32::from_be_bytes(exact(type_oid, len)?);
        if len == -1 {
            values.push(ParamValue::Null(element_oid));
            continue;
        }
        let len = usize::try_from(len).map_err(|_| bad())?;
        let (value, after) = rest.split_at_checked(len).ok_or(Error::ShortBinary { oid: type_oid })?;
        rest = after;
        values.push(binary::decode(element_oid, value)?);
    }
    if rest.is_empty() { Ok(values) } else { Err(bad()) }
}
