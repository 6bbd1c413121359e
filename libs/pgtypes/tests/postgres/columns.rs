//! Columns of every kind with edge cases and random values, as the engine would export them.

use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeBinaryBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Int64Array, IntervalMonthDayNanoArray, StringArray, StructArray, Time64MicrosecondArray,
    TimestampMicrosecondArray,
};
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::Field;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

/// A column and `PostgreSQL`'s name for its type.
pub(crate) struct Column {
    pub(crate) sql: &'static str,
    pub(crate) field: Field,
    pub(crate) array: ArrayRef,
}

const RANDOM: usize = 120;

/// The first instant and the last day of `PostgreSQL`'s that the engine's types can hold, and bounds that suit both.
const FIRST_MICROS: i64 = -210_866_803_200_000_000;
const LAST_MICROS: i64 = 9_223_372_036_854_775_806;

fn samples<T: std::fmt::Debug>(edges: impl IntoIterator<Item = T>, strategy: impl Strategy<Value = T>) -> Vec<T> {
    let mut runner = TestRunner::deterministic();
    let mut values: Vec<T> = edges.into_iter().collect();
    for _ in 0..RANDOM {
        values.push(strategy.new_tree(&mut runner).expect("a value").current());
    }
    values
}

fn column(sql: &'static str, array: impl Array + 'static) -> Column {
    let array: ArrayRef = Arc::new(array);
    Column {
        sql,
        field: Field::new("v", array.data_type().clone(), true),
        array,
    }
}

fn extension(sql: &'static str, array: impl Array + 'static, name: &str, type_name: &str) -> Column {
    let mut column = column(sql, array);
    let metadata = format!(r#"{{"type_name":"{type_name}","vendor_name":"DuckDB"}}"#);
    let pairs = [("ARROW:extension:name", name), ("ARROW:extension:metadata", &metadata)];
    column.field = column
        .field
        .with_metadata(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
    column
}

fn raw<const N: usize>(values: impl IntoIterator<Item = [u8; N]>) -> arrow_array::FixedSizeBinaryArray {
    let mut builder = FixedSizeBinaryBuilder::new(i32::try_from(N).expect("small"));
    for value in values {
        builder.append_value(value).expect("the right size");
    }
    builder.finish()
}

/// Text with the characters that quoting cares about.
fn words() -> Vec<String> {
    let edges = [
        "",
        "NULL",
        "null",
        "a",
        " ",
        "a b",
        "\"",
        "\\",
        "{}",
        "(,)",
        "\t\n\u{b}",
        "é\u{1f986}",
        "long enough to pass a block of bytes",
    ];
    samples(edges.map(str::to_owned), "[a-zA-Z ,(){}\"\\\\é]{0,12}")
}

fn floats() -> Vec<f64> {
    let edges = [
        0.0,
        -0.0,
        1.0,
        1e14,
        1e15,
        123_456_789_012_345.6,
        1e-4,
        1e-5,
        0.1,
        1e20,
        5e-324,
        f64::MAX,
        f64::MIN_POSITIVE,
    ];
    let special = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        9_007_199_254_740_993.0,
        1e6,
        999_999.0,
        1_234_567.0,
    ];
    samples(
        edges.into_iter().chain(special),
        prop_oneof![
            any::<f64>(),
            -1e9..1e9,
            (-1_000_000_i32..1_000_000).prop_map(|v| f64::from(v) / 100.0)
        ],
    )
}

pub(crate) fn dates() -> Column {
    let edges = [
        0,
        10_957,
        i32::MAX,
        -i32::MAX,
        -719_163,
        -719_162,
        -2_440_588,
        2_145_042_905,
        2_932_897,
        11_016,
    ];
    column(
        "date",
        Date32Array::from(samples(
            edges,
            prop_oneof![-2_440_588..=2_145_042_905, -800_000..100_000],
        )),
    )
}

fn instants() -> Vec<i64> {
    let edges = [
        0,
        1,
        -1,
        946_684_800_000_000,
        i64::MAX,
        -i64::MAX,
        FIRST_MICROS,
        LAST_MICROS,
        -62_135_596_800_000_001,
    ];
    let late: i64 = 253_402_300_800_000_000;
    samples(
        edges,
        prop_oneof![
            FIRST_MICROS..=LAST_MICROS,
            -4_000_000_000_000_000_i64..4_100_000_000_000_000,
            0..late,
            (0..4_000_000_000_i64).prop_map(|s| s * 1_000_000)
        ],
    )
}

pub(crate) fn timestamps() -> Column {
    column("timestamp", TimestampMicrosecondArray::from(instants()))
}

pub(crate) fn timestamps_tz() -> Column {
    column(
        "timestamptz",
        TimestampMicrosecondArray::from(instants()).with_timezone("UTC"),
    )
}

pub(crate) fn intervals() -> Column {
    let edges = [
        (0, 0, 0),
        (1, 0, 0),
        (-1, 0, 0),
        (12, 1, 1_000_000),
        (14, -3, 14_706_000_000),
        (-14, 3, -14_706_700_000),
        (0, 1, -1),
    ];
    let more = [
        (0, 0, 60_000_000),
        (0, 0, -500_000),
        (0, 0, 1_500_000),
        (25, 0, 0),
        (0, 4, 3_600_000_000),
        (-12, 0, 0),
        (0, -1, 0),
    ];
    let random = (
        -50_i32..50,
        -40_i32..40,
        prop_oneof![Just(0_i64), -200_000_000_000_i64..200_000_000_000],
    );
    let wide = (
        any::<i32>(),
        any::<i32>(),
        -9_000_000_000_000_000_i64..9_000_000_000_000_000,
    );
    // PostgreSQL 17 took both ends of the range for its infinities.
    let values = samples(edges.into_iter().chain(more), prop_oneof![random, wide]);
    let values = values
        .into_iter()
        .map(|(months, days, micros)| IntervalMonthDayNano::new(months, days, micros * 1000));
    column("interval", IntervalMonthDayNanoArray::from_iter_values(values))
}

fn time_tz() -> Column {
    let values = samples(
        [(0, 0), (86_400_000_000, 57_599), (1, -57_599)],
        (0_i64..86_400_000_000, -57_599_i64..=57_599),
    );
    let packed = values
        .into_iter()
        .map(|(micros, east)| (micros << 24 | (57_599 - east)).to_le_bytes());
    extension("timetz", raw(packed), "arrow.opaque", "time_tz")
}

fn bit_string(bits: &[bool]) -> Vec<u8> {
    let padding = (8 - bits.len() % 8) % 8;
    let mut bytes = vec![u8::try_from(padding).expect("small")];
    let padded: Vec<bool> = std::iter::repeat_n(true, padding).chain(bits.iter().copied()).collect();
    bytes.extend(
        padded
            .chunks(8)
            .map(|chunk| chunk.iter().fold(0, |byte, &bit| byte << 1 | u8::from(bit))),
    );
    bytes
}

fn big_numbers() -> Column {
    let values = samples([0, 1, -1, 255, -256, i128::MAX], any::<i128>());
    let encoded: Vec<Vec<u8>> = values
        .into_iter()
        .map(|value| {
            let magnitude = value.unsigned_abs().to_be_bytes();
            let first = magnitude.iter().position(|&byte| byte != 0).unwrap_or(15);
            let len = u32::try_from(16 - first).expect("small") | 0x80_0000;
            let mut bytes = len.to_be_bytes()[1..].to_vec();
            bytes.extend(&magnitude[first..]);
            if value < 0 {
                bytes.iter().map(|byte| !byte).collect()
            } else {
                bytes
            }
        })
        .collect();
    extension(
        "numeric",
        BinaryArray::from_iter_values(encoded),
        "arrow.opaque",
        "bignum",
    )
}

fn decimals(scale: i8) -> Column {
    let most = 10_i128.pow(38) - 1;
    let values = samples(
        [0, 1, -1, 10, 99, 100, 10_000, 1_000_000_000_000, most, -most],
        prop_oneof![-most..=most, -1_000_000_i128..1_000_000],
    );
    column(
        "numeric",
        Decimal128Array::from(values)
            .with_precision_and_scale(38, scale)
            .expect("valid"),
    )
}

fn list_of_text() -> Column {
    let mut builder = ListBuilder::new(StringBuilder::new());
    for chunk in words().chunks(3) {
        for word in chunk {
            builder.values().append_value(word);
        }
        builder.values().append_null();
        builder.append(true);
    }
    builder.append(true);
    column("text[]", builder.finish())
}

fn nested_lists() -> Column {
    let mut builder = ListBuilder::new(ListBuilder::new(Int64Builder::new()));
    for (outer, inner) in [(1, 1), (2, 3), (3, 1), (0, 0), (2, 0)] {
        for _ in 0..outer {
            for value in 0..inner {
                builder.values().values().append_option((value != 1).then_some(value));
            }
            builder.values().append(true);
        }
        builder.append(true);
    }
    column("int8[]", builder.finish())
}

fn lists_of_others() -> Vec<Column> {
    let mut floats_builder = ListBuilder::new(Float64Builder::new());
    for chunk in floats().chunks(2) {
        floats_builder.values().append_slice(chunk);
        floats_builder.append(true);
    }
    let mut instants_builder = ListBuilder::new(TimestampMicrosecondBuilder::new());
    for chunk in instants().chunks(2) {
        instants_builder.values().append_slice(chunk);
        instants_builder.append(true);
    }
    vec![
        column("float8[]", floats_builder.finish()),
        column("timestamp[]", instants_builder.finish()),
    ]
}

/// Structs of a number, a word and an instant.
pub(crate) fn records() -> Column {
    let words: Vec<Option<String>> = words().into_iter().map(Some).chain([None]).collect();
    let count = i32::try_from(words.len()).expect("small");
    let numbers: Int32Array = (0..count).map(|value| (value % 5 != 0).then_some(value)).collect();
    let instants = TimestampMicrosecondArray::from_iter_values((0..count).map(|value| i64::from(value) * 1_000_001));
    let columns: [ArrayRef; 3] = [
        Arc::new(numbers),
        Arc::new(StringArray::from(words)),
        Arc::new(instants),
    ];
    let fields: Vec<Field> = columns
        .iter()
        .zip(["a", "b", "c"])
        .map(|(array, name)| Field::new(name, array.data_type().clone(), true))
        .collect();
    column("record", StructArray::new(fields.into(), columns.into(), None))
}

/// Columns that are another type by the name that the catalog gives theirs.
fn aliased() -> Vec<Column> {
    let counters = || Int64Array::from(vec![0, 1, 1259, 4_294_967_295]);
    let vector = |sql, values: &[i64]| {
        let mut builder = ListBuilder::new(Int64Builder::new());
        for count in 1..=values.len() {
            builder.values().append_slice(&values[..count]);
            builder.append(true);
        }
        column(sql, builder.finish())
    };
    vec![
        column("oid", counters()),
        column("xid", counters()),
        column("xid8", counters()),
        column("cid", counters()),
        column("name", StringArray::from(vec!["a", "b c"])),
        column("\"char\"", StringArray::from(vec!["r", "", "v"])),
        column("varchar", StringArray::from(vec!["", "x"])),
        column("bpchar", StringArray::from(vec!["", "x"])),
        extension("jsonb", StringArray::from(vec!["{\"a\": 1}", "null"]), "arrow.json", ""),
        vector("int2vector", &[1, 2, -3]),
        vector("oidvector", &[1, 2, 3]),
        vector("oid[]", &[1, 2, 4_294_967_295]),
        column("int2vector", StringArray::from(vec!["1 2 3"])),
        column("oidvector", StringArray::from(vec!["1 4294967295"])),
    ]
}

/// One column or more of each type.
pub(crate) fn all() -> Vec<Column> {
    let mut columns = scalars();
    columns.extend(numbers());
    columns.extend([
        dates(),
        time_tz(),
        timestamps(),
        timestamps_tz(),
        intervals(),
        list_of_text(),
        nested_lists(),
    ]);
    columns.extend([0, 1, 2, 3, 4, 5, 15, 16, 20, 37, 38].map(decimals));
    columns.extend(lists_of_others());
    columns.extend(aliased());
    columns
}

fn numbers() -> Vec<Column> {
    let huge = samples([0, 1, -1, i128::MIN, i128::MAX, 10_000, 99_999_999], any::<i128>());
    let unsigned = samples([0, u128::MAX], any::<u128>());
    #[allow(clippy::cast_possible_truncation, reason = "any float will do")]
    let singles: Vec<f32> = floats()
        .into_iter()
        .map(|value| value as f32)
        .chain([1e6, 999_999.0, 3.402_823_5e38, 1e-45])
        .collect();
    let small = samples([0, i32::MIN, i32::MAX, 99_999_999, 100_000_000], any::<i32>());
    let large = samples([0, i64::MIN, i64::MAX, 10_000_000_000_000_000], any::<i64>());
    vec![
        column("int2", Int16Array::from(samples([0, i16::MIN, i16::MAX], any::<i16>()))),
        column("int4", Int32Array::from(small)),
        column("int8", Int64Array::from(large)),
        extension(
            "numeric",
            raw(huge.into_iter().map(i128::to_le_bytes)),
            "arrow.opaque",
            "hugeint",
        ),
        extension(
            "numeric",
            raw(unsigned.into_iter().map(u128::to_le_bytes)),
            "arrow.opaque",
            "uhugeint",
        ),
        big_numbers(),
        column("float4", Float32Array::from(singles)),
        column("float8", Float64Array::from(floats())),
    ]
}

fn scalars() -> Vec<Column> {
    let some_bits = proptest::collection::vec(any::<bool>(), 0..40);
    let bits = samples([vec![], vec![true], vec![false; 8]], some_bits);
    let bits = BinaryArray::from_iter_values(bits.iter().map(|bits| bit_string(bits)));
    let uuids = samples([[0; 16], [255; 16]], any::<[u8; 16]>());
    let some_bytes = proptest::collection::vec(any::<u8>(), 0..40);
    let blobs = samples([vec![], vec![0], b"\\'".to_vec()], some_bytes);
    let json = ["{}", "{\"a\": [1, null]}", "\"x\"", " 1 "];
    let times = samples([0, 86_400_000_000, 1], 0_i64..86_400_000_000);
    vec![
        extension("bool", Int8Array::from(vec![Some(1), Some(0)]), "arrow.bool8", ""),
        column("text", StringArray::from(words())),
        column("bytea", BinaryArray::from_iter_values(blobs)),
        column("time", Time64MicrosecondArray::from(times)),
        extension("uuid", raw(uuids), "arrow.uuid", ""),
        extension("varbit", bits, "arrow.opaque", "bit"),
        extension("json", StringArray::from_iter_values(json), "arrow.json", ""),
    ]
}
