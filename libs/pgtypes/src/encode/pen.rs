//! Writing a short text piece by piece into a cell that is known to have room.

use super::digits::two;
use super::fixed::Piece;

/// A place in a cell.
pub(crate) struct Pen<'a> {
    cell: &'a mut [u8],
    at: usize,
}

impl<'a> Pen<'a> {
    pub(crate) fn new(cell: &'a mut [u8]) -> Self {
        Self { cell, at: 0 }
    }

    pub(crate) fn at(cell: &'a mut [u8], at: usize) -> Self {
        Self { cell, at }
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.cell[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
        self
    }

    /// A number without leading zeros.
    pub(crate) fn number(&mut self, value: impl itoa::Integer) -> &mut Self {
        self.put(itoa::Buffer::new().format(value).as_bytes())
    }

    /// Two digits of a number below 100, more of a larger one.
    pub(crate) fn two(&mut self, value: u32) -> &mut Self {
        if value < 100 {
            self.put(&two(value))
        } else {
            self.number(value)
        }
    }

    /// An astronomical year as people count them, at least four digits.
    pub(crate) fn year(&mut self, year: i32) -> &mut Self {
        let shown = if year > 0 { year } else { 1 - year };
        for limit in [1000, 100, 10] {
            if shown < limit {
                self.put(b"0");
            }
        }
        self.number(shown)
    }

    /// The ` BC` of years before 1.
    pub(crate) fn era(&mut self, year: i32) -> &mut Self {
        if year <= 0 { self.put(b" BC") } else { self }
    }

    /// An offset from UTC: `+02`, `+05:30`, `-00:01:15`.
    pub(crate) fn offset(&mut self, east: i32) -> &mut Self {
        let seconds = east.unsigned_abs();
        self.put(if east < 0 { b"-" } else { b"+" }).two(seconds / 3600);
        if !seconds.is_multiple_of(3600) {
            self.put(b":").two(seconds / 60 % 60);
        }
        if !seconds.is_multiple_of(60) {
            self.put(b":").two(seconds % 60);
        }
        self
    }

    /// Seconds with up to six digits of fraction, trailing zeros left out. Signs are the caller's.
    pub(crate) fn seconds(&mut self, seconds: u32, micros: u32, padded: bool) -> &mut Self {
        if padded {
            self.two(seconds);
        } else {
            self.number(seconds);
        }
        if micros != 0 {
            let digits = super::digits::six(micros);
            let len = digits.iter().rposition(|&b| b != b'0').map_or(0, |last| last + 1);
            self.put(b".").put(&digits[..len]);
        }
        self
    }

    pub(crate) fn done(&self) -> Piece {
        Piece::new(0, self.at)
    }
}
