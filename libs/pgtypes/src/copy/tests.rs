//! What `PostgreSQL` 15 writes and says of the same rows and bytes.

use std::sync::Arc;

use arrow_schema::{DataType, Field};
use pintail_sqlstate::ToReport;

mod written;

use super::*;
use crate::{ColumnSpec, Error, RenderSettings, pg_type};

fn spec(field: Field) -> ColumnSpec {
    let pg = pg_type(&field, None);
    let field = Arc::new(field);
    ColumnSpec { field, pg }
}

/// Columns by name and type; `n` stands for `numeric(5,2)`.
fn columns(list: &str) -> Vec<ColumnSpec> {
    let one = |item: &str| {
        let (name, kind) = item.split_once(' ').expect("a name and a type");
        let data_type = match kind {
            "int" => DataType::Int32,
            "text" => DataType::Utf8,
            "date" => DataType::Date32,
            "n" => DataType::Decimal128(5, 2),
            _ => DataType::List(Arc::new(Field::new("l", DataType::Int32, true))),
        };
        spec(Field::new(name, data_type, true))
    };
    list.split(", ").map(one).collect()
}

fn text() -> CopyOptions {
    CopyOptions::new(CopyFormat::Text)
}

fn csv() -> CopyOptions {
    CopyOptions::new(CopyFormat::Csv)
}

fn binary() -> CopyOptions {
    CopyOptions::new(CopyFormat::Binary)
}

/// Reads data in two pieces; the rows as `psql -At` shows them, values between bars.
fn read_cut(data: &[u8], cut: usize, columns: &[ColumnSpec], options: &CopyOptions) -> Result<String, Error> {
    let settings = RenderSettings::default();
    let mut decoder = CopyDecoder::new("t", columns, options, &settings)?;
    let mut batches = Vec::new();
    let mut keep = |batch| {
        batches.push(batch);
        Ok::<_, Error>(())
    };
    decoder.read(&data[..cut], &mut keep)?;
    decoder.read(&data[cut..], &mut keep)?;
    decoder.finish(&mut keep)?;
    let schema = decoder.schema();
    let specs: Vec<_> = schema
        .fields()
        .iter()
        .map(|field| spec(field.as_ref().clone()))
        .collect();
    let mut shown = String::new();
    for batch in &batches {
        let mut encoder = crate::RowEncoder::new(&specs, &[], &settings)?;
        let mut out = Vec::new();
        encoder.encode(batch, 0..batch.num_rows(), &mut out)?;
        let mut rest = out.as_slice();
        for _ in 0..batch.num_rows() {
            rest = &rest[7..];
            let values = specs.iter().map(|_| {
                let (length, after) = rest.split_first_chunk::<4>().expect("a length");
                rest = after;
                let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
                    return String::new();
                };
                let (value, after) = rest.split_at(length);
                rest = after;
                String::from_utf8_lossy(value).into_owned()
            });
            let values: Vec<_> = values.collect();
            shown += &values.join("|");
            shown.push('\n');
        }
    }
    Ok(shown)
}

/// An outcome as `psql` shows it, which must be the same wherever the data is cut.
fn outcome(data: &[u8], list: &str, options: &CopyOptions) -> String {
    let at = |cut: usize| match read_cut(data, cut, &columns(list), options) {
        Ok(rows) => rows,
        Err(error) => {
            let report = error.to_report();
            let context = report.context.unwrap_or_default();
            let more = report
                .hint
                .or(report.detail)
                .map(|more| format!(" ({more})"))
                .unwrap_or_default();
            format!("{}: {}{more} @ {context}", report.sqlstate, report.message)
        }
    };
    let whole = at(0);
    for cut in 1..=data.len() {
        assert_eq!(at(cut), whole, "{} cut at {cut}", data.escape_ascii());
    }
    whole
}

const PAIR: &str = "a int, b text";

#[test]
fn text_is_read_as_postgresql_reads_it() {
    let long = format!("1\t{}\ty\n", "x".repeat(120));
    let shown = format!(
        "22P04: extra data after last expected column @ COPY t, line 1: \"1\t{}...\"",
        "x".repeat(98)
    );
    assert_eq!(outcome(long.as_bytes(), PAIR, &text()), shown);
    let cases: &[(&[u8], &str)] = &[
        (b"1\tx\n2\ty\n", "1|x\n2|y\n"),
        (b"1\tx\n2\ty", "1|x\n2|y\n"),
        (
            b"1\tx\n2\n",
            "22P04: missing data for column \"b\" @ COPY t, line 2: \"2\"",
        ),
        (
            b"1\tx\ty\n",
            "22P04: extra data after last expected column @ COPY t, line 1: \"1\tx\ty\"",
        ),
        (
            b"x\ty\n",
            "22P02: invalid input syntax for type integer: \"x\" @ COPY t, line 1, column a: \"x\"",
        ),
        (b"\\N\t\\N\n", "|\n"),
        (b"1\ta\\tb\\n\\x41\\101\\q\\\\\n", "1|a\tb\nAAq\\\n"),
        (b"1\t\xc3\xa9\\xc3\\xa9\n", "1|éé\n"),
        (b"1\tx\r\n2\ty\r\n", "1|x\n2|y\n"),
        (
            b"1\tx\r\n2\ty\n",
            "22P04: literal newline found in data (Use \"\\n\" to represent newline.) @ COPY t, line 2",
        ),
        (
            b"1\tx\n2\ty\r\n",
            "22P04: literal carriage return found in data (Use \"\\r\" to represent carriage return.) @ COPY t, line 2",
        ),
        (b"1\tx\r2\ty\r", "1|x\n2|y\n"),
        (
            b"1\tx\r2\ty\n",
            "22P04: literal newline found in data (Use \"\\n\" to represent newline.) @ COPY t, line 2",
        ),
        (b"1\tx\n\\.\n3\tz\n", "1|x\n"),
        (b"1\tx\n\\.z\n", "22P04: end-of-copy marker corrupt @ COPY t, line 2"),
        (
            b"1\tx\n\\.\r\n",
            "22P04: end-of-copy marker does not match previous newline style @ COPY t, line 2",
        ),
        (b"1\tx\n\\.", "22P04: end-of-copy marker corrupt @ COPY t, line 2"),
        (b"1\tx\n2\ty\\.\n", "1|x\n2|y\n"),
        (
            b"1\ta\xff\n",
            "22021: invalid byte sequence for encoding \"UTF8\": 0xff @ COPY t, line 1",
        ),
        (
            b"1\t\\xff\n",
            "22021: invalid byte sequence for encoding \"UTF8\": 0xff @ COPY t, line 1: \"1\t\\xff\"",
        ),
        (
            b"1\t\0\n",
            "22021: invalid byte sequence for encoding \"UTF8\": 0x00 @ COPY t, line 1",
        ),
        (
            b"1\t\\000\n",
            "22021: invalid byte sequence for encoding \"UTF8\": 0x00 @ COPY t, line 1: \"1\t\\000\"",
        ),
        (b"1\ta\\\nb\n", "1|a\nb\n"),
        (b"1\ta\\", "1|a\n"),
        (
            b"99999999999\tx\n",
            "22003: value \"99999999999\" is out of range for type integer @ COPY t, line 1, column a: \"99999999999\"",
        ),
        (b"", ""),
        (
            b"\n",
            "22P02: invalid input syntax for type integer: \"\" @ COPY t, line 1, column a: \"\"",
        ),
    ];
    for (data, expected) in cases {
        assert_eq!(outcome(data, PAIR, &text()), *expected, "{}", data.escape_ascii());
    }
    let bars = CopyOptions {
        delimiter: b'|',
        null: "NULL".into(),
        ..text()
    };
    assert_eq!(outcome(b"1|NULL\n2|a\\|b\n", PAIR, &bars), "1|\n2|a|b\n");
}

#[test]
fn csv_is_read_as_postgresql_reads_it() {
    let cases: &[(&[u8], &str, &str)] = &[
        (b"1,x\n2,\"y \"\"z\"\"\"\n", PAIR, "1|x\n2|y \"z\"\n"),
        (b"1,\n2,\"\"\n", PAIR, "1|\n2|\n"),
        (b"1,\"a\nb\"\n2,c\n", PAIR, "1|a\nb\n2|c\n"),
        (
            b"1,\"a\n",
            PAIR,
            "22P04: unterminated CSV quoted field @ COPY t, line 1: \"1,\"a\n\"",
        ),
        (b"1,a\"b\"c\n", PAIR, "1|abc\n"),
        (b"1,\\.\n", PAIR, "1|\\.\n"),
        (b"\\.\n1,x\n", PAIR, ""),
        (b"1,x\n\\.\n2,y\n", PAIR, "1|x\n"),
        (
            b"1,x\r\n2,y\n",
            PAIR,
            "22P04: unquoted newline found in data (Use quoted CSV field to represent newline.) @ COPY t, line 2",
        ),
        (
            b"1,x\n2,\"a\nb\"\nz,y\n",
            PAIR,
            "22P02: invalid input syntax for type integer: \"z\" @ COPY t, line 4, column a: \"z\"",
        ),
        (
            b"1,x\n2\n",
            PAIR,
            "22P04: missing data for column \"b\" @ COPY t, line 2: \"2\"",
        ),
        (
            b"1,x,y\n",
            PAIR,
            "22P04: extra data after last expected column @ COPY t, line 1: \"1,x,y\"",
        ),
        (b"\n", "a text", "\n"),
        (b"\"\"\n\n", "a text", "\n\n"),
        (b"\\.\n", "a text", ""),
        (b"\\.", "a text", "\\.\n"),
        (b"\\.x\n\"\\.\"\n", "a text", "\\.x\n\\.\n"),
    ];
    for (data, list, expected) in cases {
        assert_eq!(outcome(data, list, &csv()), *expected, "{}", data.escape_ascii());
    }
    let escaped = CopyOptions { escape: b'\\', ..csv() };
    assert_eq!(outcome(b"1,\"a\\\"b\\\\\"\n", PAIR, &escaped), "1|a\"b\\\n");
    let forced = CopyOptions {
        force_null: CopyColumns::Named(vec!["b".into()]),
        null: "NULL".into(),
        ..csv()
    };
    assert_eq!(outcome(b"1,\"NULL\"\n2,\"x\"\n", PAIR, &forced), "1|\n2|x\n");
    let never = CopyOptions {
        force_not_null: CopyColumns::All,
        null: "NULL".into(),
        ..csv()
    };
    assert_eq!(outcome(b"1,NULL\n", PAIR, &never), "1|NULL\n");
    let unknown = CopyOptions {
        force_null: CopyColumns::Named(vec!["z".into()]),
        ..csv()
    };
    assert_eq!(
        outcome(b"", PAIR, &unknown),
        "42P10: FORCE_NULL column \"z\" not referenced by COPY @ "
    );
}

#[test]
fn a_header_is_skipped_or_compared() {
    let header = |header, options| CopyOptions { header, ..options };
    let matched = header(CopyHeader::Match, csv());
    assert_eq!(
        outcome(b"x,y\n1,x\n", PAIR, &header(CopyHeader::Present, csv())),
        "1|x\n"
    );
    assert_eq!(outcome(b"a,b\n1,x\n", PAIR, &matched), "1|x\n");
    assert_eq!(
        outcome(b"a\tb\n1\tx\n", PAIR, &header(CopyHeader::Match, text())),
        "1|x\n"
    );
    let cases: &[(&[u8], &str)] = &[
        (
            b"a,c\n1,x\n",
            "22P04: column name mismatch in header line field 2: got \"c\", expected \"b\" @ COPY t, line 1: \"a,c\"",
        ),
        (
            b"a\n1,x\n",
            "22P04: wrong number of fields in header line: got 1, expected 2 @ COPY t, line 1: \"a\"",
        ),
        (
            b"a,\n",
            "22P04: column name mismatch in header line field 2: got null value (\"\"), expected \"b\" @ COPY t, line 1: \"a,\"",
        ),
    ];
    for (data, expected) in cases {
        assert_eq!(outcome(data, PAIR, &matched), *expected);
    }
}

#[test]
fn values_are_rounded_and_bounded_as_their_columns_are() {
    let cases: &[(&str, &str, &str)] = &[
        ("1.005", "a n", "1.01\n"),
        ("-1.005", "a n", "-1.01\n"),
        ("999.994", "a n", "999.99\n"),
        ("1e2", "a n", "100.00\n"),
        (".5", "a n", "0.50\n"),
        ("1.", "a n", "1.00\n"),
        ("0.00000000000000000000000000000000000000000000000001", "a n", "0.00\n"),
        (
            "999.995",
            "a n",
            "22003: numeric field overflow (A field with precision 5, scale 2 must round to an absolute value less than \
             10^3.) @ COPY t, line 1, column a: \"999.995\"",
        ),
        (
            "",
            "a n",
            "22P02: invalid input syntax for type numeric: \"\" @ COPY t, line 1, column a: \"\"",
        ),
        (
            "2024-02-30",
            "a date",
            "22008: date/time field value out of range: \"2024-02-30\" @ COPY t, line 1, column a: \"2024-02-30\"",
        ),
        ("Feb 29 2024", "a date", "2024-02-29\n"),
        ("2024-02-29", "a date", "2024-02-29\n"),
        ("{1,2,NULL}", "a list", "{1,2,NULL}\n"),
        ("{}", "a list", "{}\n"),
        (" 7 ", "a int", "7\n"),
        ("+7", "a int", "7\n"),
    ];
    for (value, list, expected) in cases {
        assert_eq!(
            outcome(format!("{value}\n").as_bytes(), list, &text()),
            *expected,
            "{value}"
        );
    }
}

const HEAD: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const ROW: &[u8] = b"\0\x02\0\0\0\x04\0\0\0\x07\0\0\0\x01x";

#[test]
fn binary_is_read_as_postgresql_reads_it() {
    let after_head: &[(&[u8], &str)] = &[
        (b"", ""),
        (b"\xff\xff", ""),
        (
            b"\xff\xffz",
            "22P04: received copy data after EOF marker @ COPY t, line 1",
        ),
        (
            b"\0\x01\0\0\0\x04\0\0\0\x07",
            "22P04: row field count is 1, expected 2 @ COPY t, line 1",
        ),
        (
            &ROW[..ROW.len() - 1],
            "22P04: unexpected EOF in COPY data @ COPY t, line 1, column b",
        ),
        (
            b"\0\x02\0\0\0\x02\0\0\0\0\0\x01x",
            "08P01: insufficient data left in message @ COPY t, line 1, column a",
        ),
        (
            b"\0\x02\0\0\0\x05\0\0\0\0\0\0\0\0\x01x",
            "22P03: incorrect binary data format @ COPY t, line 1, column a",
        ),
        (
            b"\0\x02\xff\xff\xff\xfb",
            "22P04: invalid field size @ COPY t, line 1, column a",
        ),
        (
            b"\0\x02\0\0\0\x04\0\0\0\x07\0\0\0\x01\xff",
            "22021: invalid byte sequence for encoding \"UTF8\": 0xff @ COPY t, line 1, column b",
        ),
        (b"\0\x02\0\0\0\x04\0\0\0\x07\xff\xff\xff\xff", "7|\n"),
    ];
    for (data, expected) in after_head {
        assert_eq!(
            outcome(&[HEAD, data].concat(), PAIR, &binary()),
            *expected,
            "{}",
            data.escape_ascii()
        );
    }
    assert_eq!(outcome(&[HEAD, ROW, b"\xff\xff"].concat(), PAIR, &binary()), "7|x\n");
    assert_eq!(outcome(&[HEAD, ROW, b"\0"].concat(), PAIR, &binary()), "7|x\n");
    let heads: &[(&[u8], &str)] = &[
        (b"", "COPY file signature not recognized"),
        (b"PGCOPX", "COPY file signature not recognized"),
        (&HEAD[..13], "invalid COPY file header (missing flags)"),
        (&HEAD[..17], "invalid COPY file header (missing length)"),
        (
            b"PGCOPY\n\xff\r\n\0\0\x01\0\0\0\0\0\0",
            "invalid COPY file header (WITH OIDS)",
        ),
        (
            b"PGCOPY\n\xff\r\n\0\0\x02\0\0\0\0\0\0",
            "unrecognized critical flags in COPY file header",
        ),
        (
            b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\x05ab",
            "invalid COPY file header (wrong length)",
        ),
    ];
    for (data, expected) in heads {
        assert_eq!(
            outcome(data, PAIR, &binary()),
            format!("22P04: {expected} @ "),
            "{}",
            data.escape_ascii()
        );
    }
    let extended = [b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\x02ab".as_slice(), ROW].concat();
    assert_eq!(outcome(&extended, PAIR, &binary()), "7|x\n");
}
