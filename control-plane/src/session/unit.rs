//! Integer settings with units, read and written as `PostgreSQL` does (manual, "Parameter Names and Values").

/// Unit names with their factor to the smallest of their kind.
const MEMORY: &[(&str, i64)] = &[
    ("B", 1),
    ("kB", 1 << 10),
    ("8kB", 8 << 10),
    ("MB", 1 << 20),
    ("GB", 1 << 30),
    ("TB", 1 << 40),
];
const TIME: &[(&str, i64)] = &[
    ("us", 1),
    ("ms", 1_000),
    ("s", 1_000_000),
    ("min", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
];

fn family(unit: &str) -> Option<(&'static [(&'static str, i64)], i64)> {
    [MEMORY, TIME].into_iter().find_map(|family| {
        family
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, factor)| (family, *factor))
    })
}

/// The number in `unit`s; `None` for what is no number or has a unit of another kind.
pub(super) fn parse(text: &str, unit: &str) -> Option<i64> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let number: f64 = text[..end].trim().parse().ok()?;
    let suffix = text[end..].trim();
    if suffix.is_empty() {
        return whole(number);
    }
    let (names, own) = family(unit)?;
    let (_, given) = names.iter().find(|(name, _)| *name == suffix)?;
    #[allow(clippy::cast_precision_loss, reason = "factors are far below 2^53")]
    whole((number * *given as f64 / own as f64).round())
}

#[allow(clippy::cast_possible_truncation, reason = "bounded just before")]
fn whole(number: f64) -> Option<i64> {
    (number.abs() < 9e15).then(|| number.round() as i64)
}

/// The number with the largest unit that it is a whole multiple of.
pub(super) fn show(number: &str, unit: &str) -> String {
    let (Ok(count), Some((names, own))) = (number.parse::<i64>(), family(unit)) else {
        return number.to_owned();
    };
    if count <= 0 {
        return number.to_owned();
    }
    let total = i128::from(count) * i128::from(own);
    names
        .iter()
        .rev()
        .filter(|(name, _)| *name != "8kB")
        .find(|(_, factor)| total % i128::from(*factor) == 0)
        .map_or_else(
            || number.to_owned(),
            |(name, factor)| format!("{}{name}", total / i128::from(*factor)),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_read_and_shown_as_postgresql_does() {
        assert_eq!(parse("1min", "ms"), Some(60_000));
        assert_eq!(parse(" 1.5 s", "ms"), Some(1500));
        assert_eq!(parse("1GB", "8kB"), Some(131_072));
        assert_eq!(parse("1GB", "ms"), None);
        assert_eq!(parse("x", "ms"), None);
        assert_eq!(show("60000", "ms"), "1min");
        assert_eq!(show("1500", "ms"), "1500ms");
        assert_eq!(show("0", "ms"), "0");
        assert_eq!(show("16384", "8kB"), "128MB");
        assert_eq!(show("7", ""), "7");
    }
}
