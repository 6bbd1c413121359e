//! One column's values of one run of rows, encoded: where each value's bytes lie.
//!
//! Knows nothing of types. Row assemblers read [`Cells`]; encoders produce them.

use std::ops::Range;

use arrow_array::Array;

use crate::Error;

/// Where one value lies in its column's bytes; a negative length is NULL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: i32,
}

impl Span {
    pub(crate) const NULL: Self = Self { start: 0, len: -1 };

    /// The span of `start..end`; values past 4 GiB of one run, or longer than 2 GiB, cannot be sent.
    #[inline]
    pub(crate) fn new(start: usize, end: usize) -> Result<Self, Error> {
        match (u32::try_from(start), i32::try_from(end.wrapping_sub(start))) {
            (Ok(start), Ok(len)) => Ok(Self { start, len }),
            _ => Err(Error::TooLarge),
        }
    }
}

/// A column's encoded values, one span a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells<'a> {
    pub(crate) data: &'a [u8],
    pub(crate) spans: &'a [Span],
}

impl<'a> Cells<'a> {
    /// The bytes of a value; `None` for NULL.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        let span = self.spans.get(row)?;
        let len = usize::try_from(span.len).ok()?;
        let start = span.start as usize;
        self.data.get(start..start + len)
    }
}

/// Turns a column's values into bytes. One lives as long as its statement and keeps its buffers between runs.
pub(crate) trait Encode: Send {
    /// Encodes `rows` of `array`, whose type is the one that the encoder was made for.
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: Range<usize>) -> Result<Cells<'a>, Error>;
}

/// Buffers for encoders whose values differ in length.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    data: Vec<u8>,
    spans: Vec<Span>,
}

/// Scratch that grew past this for one run of long values is given back before the next.
const KEEP: usize = 4 << 20;

impl Scratch {
    pub(crate) fn clear(&mut self) {
        if self.data.capacity() > KEEP {
            self.data = Vec::new();
        }
        self.data.clear();
        self.spans.clear();
    }

    /// Adds the value that `write` appends.
    #[inline]
    pub(crate) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>) -> Result<(), Error> {
        let start = self.data.len();
        write(&mut self.data)?;
        self.spans.push(Span::new(start, self.data.len())?);
        Ok(())
    }

    #[inline]
    pub(crate) fn push_null(&mut self) {
        self.spans.push(Span::NULL);
    }

    pub(crate) fn cells(&self) -> Cells<'_> {
        Cells {
            data: &self.data,
            spans: &self.spans,
        }
    }
}
