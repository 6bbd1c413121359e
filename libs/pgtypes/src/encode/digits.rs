//! Whole numbers as decimal digits, eight at a time without branches, right-aligned in a cell.

use super::fixed::Piece;

const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
const E8: u64 = 100_000_000;
const E16: u64 = 10_000_000_000_000_000;

/// The eight digits of a number below 10⁸, not yet as ASCII, the first digit in the lowest byte.
#[inline]
fn eight(value: u64) -> u64 {
    let halves = (value / 10_000) | ((value % 10_000) << 32);
    let tops = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = ((halves - 100 * tops) << 16) + tops;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens + ((pairs - 10 * tens) << 8)
}

/// How many of eight digits are leading zeros, at most `7`.
#[inline]
fn leading(digits: u64) -> usize {
    (digits.trailing_zeros() as usize / 8).min(7)
}

/// The sixteen digits of a number below 10¹⁶, not yet as ASCII, the first digit in the lowest byte.
#[inline]
pub(crate) fn sixteen(value: u64) -> u128 {
    u128::from(eight(value / E8)) | (u128::from(eight(value % E8)) << 64)
}

/// Writes a number of up to twenty digits.
#[inline]
pub(crate) fn unsigned(value: u64, negative: bool, cell: &mut [u8; 24]) -> Piece {
    let low = eight(value % E8);
    cell[16..24].copy_from_slice(&(low | ZEROS).to_le_bytes());
    let mut start = if value < E8 {
        16 + leading(low)
    } else {
        let rest = value / E8;
        let middle = eight(rest % E8);
        cell[8..16].copy_from_slice(&(middle | ZEROS).to_le_bytes());
        if rest < E8 {
            8 + leading(middle)
        } else {
            let high = eight(rest / E8);
            cell[0..8].copy_from_slice(&(high | ZEROS).to_le_bytes());
            leading(high)
        }
    };
    if negative {
        start -= 1;
        cell[start] = b'-';
    }
    Piece::new(start, 24)
}

/// Writes a number of up to 48 digits with a point before the last `scale` of them, `scale` being at most 38.
pub(crate) fn wide(value: u128, negative: bool, scale: usize, cell: &mut [u8; 48]) -> Piece {
    let mut rest = value;
    for group in cell.as_chunks_mut::<16>().0.iter_mut().rev() {
        #[allow(clippy::cast_possible_truncation, reason = "a remainder of 10^16")]
        let digits = sixteen((rest % u128::from(E16)) as u64);
        *group = (digits | u128::from_le_bytes([b'0'; 16])).to_le_bytes();
        rest /= u128::from(E16);
    }
    // One digit stays before the point, or at all.
    let mut start = cell[..47 - scale].iter().position(|&b| b != b'0').unwrap_or(47 - scale);
    if scale > 0 {
        cell.copy_within(start..48 - scale, start - 1);
        cell[47 - scale] = b'.';
        start -= 1;
    }
    if negative {
        start -= 1;
        cell[start] = b'-';
    }
    Piece::new(start, 48)
}

/// Two digits of a number below 100.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "below 100")]
pub(crate) fn two(value: u32) -> [u8; 2] {
    let tens = (value * 103) >> 10;
    [b'0' + tens as u8, b'0' + (value - 10 * tens) as u8]
}

/// Six digits of a number below a million.
#[inline]
pub(crate) fn six(value: u32) -> [u8; 6] {
    let [_, _, digits @ ..] = (eight(u64::from(value)) | ZEROS).to_le_bytes();
    digits
}

/// Four digits of a number below ten thousand.
#[inline]
pub(crate) fn four(value: u32) -> [u8; 4] {
    let [_, _, _, _, digits @ ..] = (eight(u64::from(value)) | ZEROS).to_le_bytes();
    digits
}

/// Writes decimals of one scale between 1 and 15 quickly where they have at most sixteen digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointed {
    scale: usize,
    before: u128,
    after: u128,
    point: u128,
}

impl Pointed {
    /// For a scale of 1 to 15.
    pub(crate) fn new(scale: usize) -> Option<Self> {
        (1..=15).contains(&scale).then(|| {
            let bits = 8 * (16 - scale);
            Self {
                scale,
                before: (1 << (bits - 8)) - 1,
                after: u128::MAX << bits,
                point: u128::from(b'.') << (bits - 8),
            }
        })
    }

    /// Writes the number, if it has at most sixteen digits.
    #[inline]
    pub(crate) fn write(&self, value: u64, negative: bool, cell: &mut [u8; 48]) -> Option<Piece> {
        if value >= E16 {
            return None;
        }
        let digits = sixteen(value);
        // The integer digits move one place down to make room for the point.
        let ascii = digits | u128::from_le_bytes([b'0'; 16]);
        let body = (ascii & self.after) | self.point | ((ascii >> 8) & self.before);
        cell[15] = ascii.to_le_bytes()[0];
        cell[16..32].copy_from_slice(&body.to_le_bytes());
        let zeros = (digits.trailing_zeros() as usize / 8).min(15 - self.scale);
        let mut start = 15 + zeros;
        if negative {
            start -= 1;
            cell[start] = b'-';
        }
        Some(Piece::new(start, 32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(cell: &[u8], piece: Piece) -> String {
        let start = piece.start as usize;
        let len = usize::try_from(piece.len).expect("not null");
        String::from_utf8(cell[start..start + len].to_vec()).expect("ASCII")
    }

    proptest! {
        #[test]
        fn whole_numbers(value: u64, shift in 0_u32..64, negative: bool) {
            let mut cell = [0; 24];
            let value = value >> shift;
            let piece = unsigned(value, negative, &mut cell);
            let sign = if negative { "-" } else { "" };
            prop_assert_eq!(text(&cell, piece), format!("{sign}{value}"));
        }

        #[test]
        fn pointed_numbers(value: u128, shift in 0_u32..128, scale in 0_usize..=38, negative: bool) {
            let value = (value >> shift) % 10_u128.pow(38);
            let mut cell = [0; 48];
            let power = 10_u128.pow(u32::try_from(scale).expect("small"));
            let sign = if negative { "-" } else { "" };
            let (whole, part) = (value / power, value % power);
            let expected = if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part:0scale$}") };
            let piece = wide(value, negative, scale, &mut cell);
            prop_assert_eq!(text(&cell, piece), expected.clone());
            if let (Some(pointed), Ok(value)) = (Pointed::new(scale), u64::try_from(value))
                && let Some(piece) = pointed.write(value, negative, &mut cell) {
                    prop_assert_eq!(text(&cell, piece), expected);
                }
        }

        #[test]
        fn short_numbers(value in 0_u32..1_000_000) {
            prop_assert_eq!(String::from_utf8(six(value).to_vec()).expect("ASCII"), format!("{value:06}"));
            prop_assert_eq!(String::from_utf8(four(value % 10_000).to_vec()).expect("ASCII"), format!("{:04}", value % 10_000));
            prop_assert_eq!(String::from_utf8(two(value % 100).to_vec()).expect("ASCII"), format!("{:02}", value % 100));
        }
    }
}
