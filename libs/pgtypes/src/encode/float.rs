//! `float4` and `float8` as text: the shortest digits that read back the same, laid out as `PostgreSQL`'s `%g` does.

use super::fixed::Piece;

/// Which thresholds of plain notation hold: `FLT_DIG` or `DBL_DIG`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Width {
    Single,
    Double,
}

impl Width {
    fn digits(self) -> i32 {
        match self {
            Self::Single => 6,
            Self::Double => 15,
        }
    }
}

/// Writes a `float8`.
#[inline]
pub(crate) fn double(value: f64, extra_digits: i32, cell: &mut [u8; 40]) -> Piece {
    if extra_digits <= 0 {
        return rounded(value, Width::Double, extra_digits, cell);
    }
    if !value.is_finite() {
        return special(value, cell);
    }
    let magnitude = value.abs();
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(value);
    if (1e-4..1e15).contains(&magnitude) {
        plain(text, cell)
    } else {
        let mantissa = value.to_bits() & ((1 << 52) - 1) | 1 << 52;
        match past_midpoint(text, mantissa, |digits| format!("{value:.digits$e}")) {
            Some(longer) => relaid(&longer, Width::Double, cell),
            None => relaid(text, Width::Double, cell),
        }
    }
}

/// Writes a `float4`.
#[inline]
pub(crate) fn single(value: f32, extra_digits: i32, cell: &mut [u8; 40]) -> Piece {
    if extra_digits <= 0 {
        return rounded(f64::from(value), Width::Single, extra_digits, cell);
    }
    if !value.is_finite() {
        return special(f64::from(value), cell);
    }
    let magnitude = value.abs();
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(value);
    if (1e-4..1e6).contains(&magnitude) {
        plain(text, cell)
    } else {
        let mantissa = u64::from(value.to_bits() & ((1 << 23) - 1) | 1 << 23);
        match past_midpoint(text, mantissa, |digits| format!("{value:.digits$e}")) {
            Some(longer) => relaid(&longer, Width::Single, cell),
            None => relaid(text, Width::Single, cell),
        }
    }
}

/// `PostgreSQL` does not take the shortest digits where they lie exactly between two floats, though reading rounds them to
/// the right one (`acceptBounds` in its `d2s.c`). Returns the next longer digits in that case, which only large numbers
/// can be in: the midpoint's digits are a multiple of a power of five with as many bits as the mantissa.
fn past_midpoint(text: &str, mantissa: u64, longer: impl Fn(usize) -> String) -> Option<String> {
    if !is_midpoint(text, mantissa)? {
        return None;
    }
    let mantissa_text = text.split('e').next().unwrap_or_default().replace(['-', '.'], "");
    let shortest = mantissa_text.trim_matches('0').len();
    (shortest..17)
        .map(longer)
        .find(|text| is_midpoint(text, mantissa) == Some(false))
}

/// Whether a number's text is halfway between a float of that mantissa and a neighbour; `None` where it cannot be.
fn is_midpoint(text: &str, mantissa: u64) -> Option<bool> {
    let (decimal, exponent) = text
        .trim_start_matches('-')
        .split_once('e')
        .unwrap_or((text.trim_start_matches('-'), "0"));
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let power = exponent - i32::try_from(fraction.len()).ok()?;
    let fives = 5_u128
        .checked_pow(power.unsigned_abs().min(50))
        .filter(|_| power.abs() < 50)?;
    let scaled = if power >= 0 {
        digits.checked_mul(fives)?
    } else {
        digits.is_multiple_of(fives).then(|| digits / fives)?
    };
    let odd = scaled.checked_shr(scaled.trailing_zeros())?;
    let mantissa = u128::from(mantissa);
    Some(odd == 2 * mantissa + 1 || odd == 2 * mantissa - 1 || mantissa.is_power_of_two() && odd == 4 * mantissa - 1)
}

/// Copies what is laid out rightly but for a `.0` that `PostgreSQL` does not print.
#[inline]
fn plain(text: &str, cell: &mut [u8; 40]) -> Piece {
    let text = text.strip_suffix(".0").unwrap_or(text).as_bytes();
    cell[..text.len()].copy_from_slice(text);
    Piece::new(0, text.len())
}

fn special(value: f64, cell: &mut [u8; 40]) -> Piece {
    let text: &[u8] = match value {
        f64::INFINITY => b"Infinity",
        f64::NEG_INFINITY => b"-Infinity",
        _ => b"NaN",
    };
    cell[..text.len()].copy_from_slice(text);
    Piece::new(0, text.len())
}

/// Takes digits and exponent out of a number's text and lays them out anew.
fn relaid(text: &str, width: Width, cell: &mut [u8; 40]) -> Piece {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = [0; 40];
    let mut len = 0;
    for b in whole.bytes().chain(fraction.bytes()) {
        digits[len] = b;
        len += 1;
    }
    let leading = digits[..len].iter().take_while(|&&b| b == b'0').count();
    let end = digits[..len]
        .iter()
        .rposition(|&b| b != b'0')
        .map_or(leading, |last| last + 1);
    let point = i32::try_from(whole.len()).unwrap_or_default() - i32::try_from(leading).unwrap_or_default();
    let exponent = exponent.parse::<i32>().unwrap_or_default() + point - 1;
    let significant = digits.get(leading..end).unwrap_or_default();
    lay_out(negative, significant, exponent, width.digits(), cell)
}

/// Lays out `d.ddd × 10^exponent` as `%g` with that precision does.
fn lay_out(negative: bool, digits: &[u8], exponent: i32, precision: i32, cell: &mut [u8; 40]) -> Piece {
    let mut at = 0;
    let mut put = |bytes: &[u8]| {
        cell[at..at + bytes.len()].copy_from_slice(bytes);
        at += bytes.len();
    };
    if negative {
        put(b"-");
    }
    let Some((first, rest)) = digits.split_first() else {
        put(b"0");
        return Piece::new(0, at);
    };
    if exponent < -4 || exponent >= precision {
        put(&[*first]);
        if !rest.is_empty() {
            put(b".");
            put(rest);
        }
        put(if exponent < 0 { b"e-" } else { b"e+" });
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(exponent.unsigned_abs());
        if text.len() < 2 {
            put(b"0");
        }
        put(text.as_bytes());
    } else if exponent < 0 {
        put(b"0.");
        for _ in 1..-exponent {
            put(b"0");
        }
        put(digits);
    } else {
        let whole = usize::try_from(exponent).unwrap_or_default() + 1;
        put(&digits[..whole.min(digits.len())]);
        for _ in digits.len()..whole {
            put(b"0");
        }
        if digits.len() > whole {
            put(b".");
            put(&digits[whole..]);
        }
    }
    Piece::new(0, at)
}

/// `%.*g` with `DBL_DIG + extra_float_digits` digits, as `extra_float_digits` of 0 or less asks for.
fn rounded(value: f64, width: Width, extra_digits: i32, cell: &mut [u8; 40]) -> Piece {
    if !value.is_finite() {
        return special(value, cell);
    }
    let precision = (width.digits() + extra_digits).max(1);
    let text = format!("{:.*e}", usize::try_from(precision - 1).unwrap_or_default(), value);
    let (negative, text) = text
        .strip_prefix('-')
        .map_or((false, text.as_str()), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let end = digits.iter().rposition(|&b| b != b'0').map_or(0, |last| last + 1);
    lay_out(
        negative,
        &digits[..end],
        exponent.parse().unwrap_or_default(),
        precision,
        cell,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text8(value: f64, extra: i32) -> String {
        let mut cell = [0; 40];
        let piece = double(value, extra, &mut cell);
        String::from_utf8(cell[..usize::try_from(piece.len).expect("not null")].to_vec()).expect("ASCII")
    }

    fn text4(value: f32) -> String {
        let mut cell = [0; 40];
        let piece = single(value, 1, &mut cell);
        String::from_utf8(cell[..usize::try_from(piece.len).expect("not null")].to_vec()).expect("ASCII")
    }

    #[test]
    fn doubles_look_as_in_postgresql() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (1_234_567.0, "1234567"),
            (1e14, "100000000000000"),
            (1e15, "1e+15"),
            (1e20, "1e+20"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (0.000_012_5, "1.25e-05"),
            (1e-5, "1e-05"),
            (123_456_789_012_345.6, "123456789012345.6"),
            (1_234_567_890_123_456.7, "1.2345678901234568e+15"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (-0.1, "-0.1"),
            (9.5e22, "9.5e+22"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(text8(value, 1), expected);
        }
        assert_eq!(text8(0.1 + 0.2, 0), "0.3");
        assert_eq!(text8(1.0 / 3.0, -12), "0.333");
        assert_eq!(text8(123_456.0, -12), "1.23e+05");
    }

    #[test]
    fn singles_look_as_in_postgresql() {
        for (value, expected) in [
            (1_234_567.0, "1.234567e+06"),
            (123_456.0, "123456"),
            (0.1, "0.1"),
            (1e-5, "1e-05"),
            (3.402_823_5e38, "3.4028235e+38"),
            // Seven digits would lie exactly between two floats.
            (-983_525_632.0, "-9.8352563e+08"),
        ] {
            assert_eq!(text4(value), expected);
        }
    }
}
