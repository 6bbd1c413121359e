//! The engine's bit strings and big numbers, which come as opaque bytes.

use std::fmt::Write as _;

use crate::{Error, oid};

/// A bit string: the first byte says how many of the following bits are padding, most significant first.
fn bits(value: &[u8]) -> Result<(usize, &[u8]), Error> {
    let (&padding, bytes) = value.split_first().ok_or(Error::BadBinary { oid: oid::VARBIT })?;
    let padding = usize::from(padding);
    if padding > 7 || padding > bytes.len() * 8 {
        return Err(Error::BadBinary { oid: oid::VARBIT });
    }
    Ok((padding, bytes))
}

/// `varbit` as text: zeros and ones.
pub(crate) fn text(value: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let (padding, bytes) = bits(value)?;
    let all = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| b'0' + (byte >> bit & 1)));
    out.extend(all.skip(padding));
    Ok(())
}

/// `varbit` as `varbit_send`: the number of bits, then the bits from the left, zeros after them.
pub(crate) fn binary(value: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let (padding, bytes) = bits(value)?;
    let count = i32::try_from(bytes.len() * 8 - padding).map_err(|_| Error::TooLarge)?;
    out.extend_from_slice(&count.to_be_bytes());
    let follow = bytes.iter().skip(1).copied().chain([0]);
    for (&byte, next) in bytes.iter().zip(follow) {
        let pair = u16::from_be_bytes([byte, next]) << padding;
        out.push(pair.to_be_bytes()[0]);
    }
    Ok(())
}

/// The engine's `BIGNUM` in decimal: three bytes of length whose first bit is the sign, then the magnitude, most
/// significant byte first; both inverted where the number is negative.
pub(crate) fn big_number(value: &[u8]) -> Result<String, Error> {
    let bad = || Error::BadBinary { oid: oid::NUMERIC };
    let (header, body) = value.split_at_checked(3).ok_or_else(bad)?;
    let negative = header[0] & 0x80 == 0;
    let flip = if negative { 0xff } else { 0 };
    // Base 10^9 digits, least significant first.
    let mut digits: Vec<u64> = vec![0];
    for byte in body.iter().map(|byte| byte ^ flip) {
        let mut carry = u64::from(byte);
        for digit in &mut digits {
            let sum = *digit * 256 + carry;
            *digit = sum % 1_000_000_000;
            carry = sum / 1_000_000_000;
        }
        if carry > 0 {
            digits.push(carry);
        }
    }
    let mut text = if negative { "-".to_owned() } else { String::new() };
    let mut rest = digits.iter().rev();
    text.push_str(&rest.next().map_or_else(String::new, u64::to_string));
    for digit in rest {
        let _ = write!(text, "{digit:09}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_strings() {
        let mut out = Vec::new();
        text(&[4, 0xfb], &mut out).expect("valid");
        assert_eq!(out, b"1011");
        out.clear();
        binary(&[4, 0xfb, 0x0f], &mut out).expect("valid");
        assert_eq!(out, [0, 0, 0, 12, 0xb0, 0xf0]);
        assert!(text(&[], &mut out).is_err() && text(&[9, 1], &mut out).is_err());
    }

    #[test]
    fn big_numbers() {
        let mut bytes = vec![0x80, 0, 0x15];
        let magnitude = [
            0x08, 0x72, 0x7f, 0x63, 0x69, 0xaa, 0xf8, 0x3c, 0xa1, 0x50, 0x26, 0x74, 0x7a, 0xf8, 0xc7, 0xf1, 0x96, 0xce,
            0x3f, 0x0a, 0xd2,
        ];
        bytes.extend(magnitude);
        let decimal = "12345678901234567890123456789012345678901234567890";
        assert_eq!(big_number(&bytes).expect("valid"), decimal);
        let inverted: Vec<u8> = bytes.iter().map(|byte| !byte).collect();
        assert_eq!(big_number(&inverted).expect("valid"), format!("-{decimal}"));
        assert_eq!(big_number(&[0x80, 0, 1, 0]).expect("valid"), "0");
    }
}
