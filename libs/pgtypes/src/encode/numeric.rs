//! `numeric` in binary: base-10000 digits, most significant first (`numeric_send`); and exact decimals in text.

use super::digits::{Pointed, wide};
use super::fixed::Piece;

const NEGATIVE: u16 = 0x4000;

/// Writes `±magnitude / 10^scale` as text.
#[inline]
pub(crate) fn text(value: i128, scale: usize, pointed: Option<&Pointed>, cell: &mut [u8; 48]) -> Piece {
    let magnitude = value.unsigned_abs();
    if let (Some(pointed), Ok(short)) = (pointed, u64::try_from(magnitude))
        && let Some(piece) = pointed.write(short, value < 0, cell)
    {
        return piece;
    }
    wide(magnitude, value < 0, scale, cell)
}

/// Writes `±magnitude / 10^scale` as `numeric_send` does. `scale` is at most 38.
#[inline]
pub(crate) fn binary(magnitude: u128, negative: bool, scale: usize, cell: &mut [u8; 48]) -> Piece {
    let mut digits = Digits::default();
    let odd = scale % 4;
    let pad = POWERS[(4 - odd) % 4];
    match u64::try_from(magnitude) {
        Ok(short) if short < u64::MAX / 1000 => digits.push_all(short * u64::from(pad)),
        _ => {
            let low = u128::from(POWERS[odd]);
            if odd > 0 {
                digits.push(narrow(magnitude % low) * pad);
            }
            let mut rest = magnitude / low;
            while rest > 0 {
                digits.push(narrow(rest % 10_000));
                rest /= 10_000;
            }
        }
    }
    digits.write(negative, scale, cell)
}

const POWERS: [u16; 4] = [1, 10, 100, 1000];

#[allow(clippy::cast_possible_truncation, reason = "a remainder of at most 10^4")]
fn narrow(value: u128) -> u16 {
    value as u16
}

/// Base-10000 digits, least significant first.
#[derive(Default)]
struct Digits {
    values: [u16; 12],
    len: usize,
}

impl Digits {
    #[inline]
    fn push(&mut self, value: u16) {
        self.values[self.len] = value;
        self.len += 1;
    }

    #[inline]
    fn push_all(&mut self, mut value: u64) {
        while value > 0 {
            self.push(narrow(u128::from(value % 10_000)));
            value /= 10_000;
        }
    }

    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "at most twelve digits, scale at most 38"
    )]
    fn write(&self, negative: bool, scale: usize, cell: &mut [u8; 48]) -> Piece {
        let fraction = scale.div_ceil(4);
        let trailing = self.values[..self.len].iter().take_while(|&&digit| digit == 0).count();
        let significant = &self.values[trailing..self.len];
        let weight = if significant.is_empty() {
            0
        } else {
            self.len as i16 - 1 - fraction as i16
        };
        let sign = if negative && !significant.is_empty() {
            NEGATIVE
        } else {
            0
        };
        cell[0..2].copy_from_slice(&(significant.len() as u16).to_be_bytes());
        cell[2..4].copy_from_slice(&weight.to_be_bytes());
        cell[4..6].copy_from_slice(&sign.to_be_bytes());
        cell[6..8].copy_from_slice(&(scale as u16).to_be_bytes());
        let places = cell[8..].as_chunks_mut::<2>().0;
        for (place, digit) in places.iter_mut().zip(significant.iter().rev()) {
            *place = digit.to_be_bytes();
        }
        Piece::new(0, 8 + 2 * significant.len())
    }
}

/// Appends the binary form of a number given as digits with an optional sign and point (no exponent).
pub(crate) fn binary_of_text(text: &str, out: &mut Vec<u8>) {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut aligned = "0".repeat((4 - whole.len() % 4) % 4);
    aligned.push_str(whole);
    let whole_digits = aligned.len() / 4;
    aligned.push_str(fraction);
    aligned.push_str(&"0".repeat((4 - fraction.len() % 4) % 4));
    let mut values: Vec<u16> = aligned
        .as_bytes()
        .as_chunks::<4>()
        .0
        .iter()
        .copied()
        .map(base_10000)
        .collect();
    while values.last() == Some(&0) {
        values.pop();
    }
    let leading = values.iter().take_while(|&&digit| digit == 0).count();
    values.drain(..leading);
    let weight = if values.is_empty() {
        0
    } else {
        signed(whole_digits) - 1 - signed(leading)
    };
    let count = u16::try_from(values.len()).unwrap_or(u16::MAX);
    let sign = if negative && count > 0 { NEGATIVE } else { 0 };
    out.extend_from_slice(&count.to_be_bytes());
    out.extend_from_slice(&i16::try_from(weight).unwrap_or(i16::MAX).to_be_bytes());
    out.extend_from_slice(&sign.to_be_bytes());
    out.extend_from_slice(&u16::try_from(fraction.len()).unwrap_or(u16::MAX).to_be_bytes());
    for digit in values {
        out.extend_from_slice(&digit.to_be_bytes());
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn base_10000(ascii: [u8; 4]) -> u16 {
    ascii
        .iter()
        .fold(0, |sum, b| sum * 10 + u16::from(b.wrapping_sub(b'0')))
}
