//! Exact bytes of every kind of column.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{FixedSizeBinaryBuilder, Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::{Int32Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, IntervalMonthDayNanoArray, ListArray, RecordBatch, StringArray,
    StringViewArray, StructArray, Time64MicrosecondArray, TimestampMicrosecondArray, TimestampNanosecondArray,
    UInt64Array, UnionArray,
};
use arrow_buffer::{IntervalMonthDayNano, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields, Schema, UnionFields};

use super::*;
use crate::{oid, pg_type};

type Values = Vec<Option<Vec<u8>>>;

/// Encodes one column and takes the rows apart again.
fn encoded(
    field: Field,
    array: ArrayRef,
    alias: Option<&str>,
    format: Format,
    settings: &RenderSettings,
) -> Result<Values, Error> {
    let rows = array.len();
    let pg = pg_type(&field, alias);
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field.clone()])), vec![array]).expect("a batch");
    let specs = [ColumnSpec {
        field: Arc::new(field),
        pg,
    }];
    let mut out = vec![b'!'];
    RowEncoder::new(&specs, &[format], settings)?.encode(&batch, 0..rows, &mut out)?;
    let mut rest = &out[1..];
    let mut values = Vec::new();
    for _ in 0..rows {
        let len = usize::try_from(word(&rest[1..])).expect("a length");
        let message = &rest[..=len];
        assert_eq!((message[0], &message[5..7]), (b'D', [0, 1].as_slice()));
        let value = usize::try_from(word(&message[7..]))
            .ok()
            .map(|len| message[11..11 + len].to_vec());
        assert_eq!(message.len(), 11 + value.as_ref().map_or(0, Vec::len));
        values.push(value);
        rest = &rest[1 + len..];
    }
    assert!(rest.is_empty());
    Ok(values)
}

fn word(bytes: &[u8]) -> i32 {
    i32::from_be_bytes(bytes[..4].try_into().expect("four bytes"))
}

fn plain(array: &dyn Array) -> Field {
    Field::new("v", array.data_type().clone(), true)
}

fn extension(array: &dyn Array, name: &str, metadata: &str) -> Field {
    let pairs = [("ARROW:extension:name", name), ("ARROW:extension:metadata", metadata)];
    plain(array).with_metadata(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).into())
}

fn opaque(array: &dyn Array, type_name: &str) -> Field {
    extension(
        array,
        "arrow.opaque",
        &format!(r#"{{"type_name":"{type_name}","vendor_name":"DuckDB"}}"#),
    )
}

fn texts(field: Field, array: impl Array + 'static) -> Vec<String> {
    texts_with(field, array, &RenderSettings::default())
}

fn texts_with(field: Field, array: impl Array + 'static, settings: &RenderSettings) -> Vec<String> {
    let values = encoded(field, Arc::new(array), None, Format::Text, settings).expect("encodable");
    values
        .into_iter()
        .map(|value| value.map_or_else(|| "NULL".to_owned(), |text| String::from_utf8(text).expect("UTF-8")))
        .collect()
}

fn binaries(field: Field, array: impl Array + 'static) -> Values {
    encoded(field, Arc::new(array), None, Format::Binary, &RenderSettings::default()).expect("encodable")
}

fn raw<const N: usize>(values: &[[u8; N]]) -> arrow_array::FixedSizeBinaryArray {
    let mut builder = FixedSizeBinaryBuilder::new(i32::try_from(N).expect("small"));
    for value in values {
        builder.append_value(value).expect("the right size");
    }
    builder.finish()
}

#[test]
fn numbers() {
    let array = Int64Array::from(vec![Some(i64::MIN), None, Some(0), Some(1_234_567_890_123)]);
    assert_eq!(
        texts(plain(&array), array),
        ["-9223372036854775808", "NULL", "0", "1234567890123"]
    );
    let array = UInt64Array::from(vec![u64::MAX, 0]);
    assert_eq!(texts(plain(&array), array), ["18446744073709551615", "0"]);
    let array = raw(&[i128::MIN.to_le_bytes(), 7_i128.to_le_bytes()]);
    assert_eq!(
        texts(opaque(&array, "hugeint"), array),
        ["-170141183460469231731687303715884105728", "7"]
    );
    let array = raw(&[u128::MAX.to_le_bytes()]);
    assert_eq!(
        texts(opaque(&array, "uhugeint"), array),
        ["340282366920938463463374607431768211455"]
    );
    let array = Decimal128Array::from(vec![-5, 100, 123_456])
        .with_precision_and_scale(15, 2)
        .expect("valid");
    assert_eq!(texts(plain(&array), array.clone()), ["-0.05", "1.00", "1234.56"]);
    let expected = vec![0, 2, 0, 0, 0, 0, 0, 2, 4, 210, 21, 224];
    assert_eq!(binaries(plain(&array), array)[2], Some(expected));
    let array = Float64Array::from(vec![1e20, 1e-5, 1_234_567.0, f64::NAN, f64::NEG_INFINITY]);
    assert_eq!(
        texts(plain(&array), array),
        ["1e+20", "1e-05", "1234567", "NaN", "-Infinity"]
    );
}

#[test]
fn booleans_come_as_bits_or_bytes() {
    let array = Int8Array::from(vec![Some(1), Some(0), None]);
    let field = extension(&array, "arrow.bool8", "");
    assert_eq!(texts(field.clone(), array.clone()), ["t", "f", "NULL"]);
    assert_eq!(binaries(field, array), [Some(vec![1]), Some(vec![0]), None]);
    let array = BooleanArray::from(vec![Some(true), None, Some(false)]);
    assert_eq!(texts(plain(&array), array), ["t", "NULL", "f"]);
}

#[test]
fn strings_of_every_layout_and_slices_of_them() {
    let array = StringArray::from(vec![
        Some("a"),
        None,
        Some(""),
        Some("a string longer than the block of thirty-two bytes"),
    ]);
    let expected = ["a", "NULL", "", "a string longer than the block of thirty-two bytes"];
    assert_eq!(texts(plain(&array), array.clone()), expected);
    assert_eq!(texts(plain(&array), array.slice(1, 3)), expected[1..]);
    let views: StringViewArray = array.iter().collect();
    assert_eq!(texts(plain(&views), views.slice(2, 2)), expected[2..]);
    let array = BinaryArray::from(vec![b"\x00\xff\\a".as_slice()]);
    assert_eq!(texts(plain(&array), array.clone()), ["\\x00ff5c61"]);
    let settings = RenderSettings::parse("", "", "", "escape", 1).expect("valid");
    assert_eq!(texts_with(plain(&array), array, &settings), ["\\000\\377\\\\a"]);
    let enumeration: DictionaryArray<UInt8Type> = vec![Some("happy"), None, Some("sad"), Some("happy")]
        .into_iter()
        .collect();
    assert_eq!(
        texts(plain(&enumeration), enumeration.slice(1, 3)),
        ["NULL", "sad", "happy"]
    );
}

#[test]
fn dates_and_times() {
    let array = Date32Array::from(vec![0, 11_016, i32::MAX, -i32::MAX, -719_163, 2_932_897]);
    let expected = [
        "1970-01-01",
        "2000-02-29",
        "infinity",
        "-infinity",
        "0001-12-31 BC",
        "10000-01-01",
    ];
    assert_eq!(texts(plain(&array), array.clone()), expected);
    assert_eq!(
        binaries(plain(&array), array)[2..4],
        [Some(vec![127, 255, 255, 255]), Some(vec![128, 0, 0, 0])]
    );
    let array = Time64MicrosecondArray::from(vec![0, 86_400_000_000, 3_661_000_100]);
    assert_eq!(texts(plain(&array), array), ["00:00:00", "24:00:00", "01:01:01.0001"]);
    let array = raw(&[[0xdf, 0xc4, 0, 0, 0x68, 0xc4, 0x61, 0x08]]);
    assert_eq!(texts(opaque(&array, "time_tz"), array), ["10:00:00+02"]);
    let array = TimestampMicrosecondArray::from(vec![0, 1, i64::MAX, -i64::MAX, -62_135_596_800_000_001]);
    let expected = [
        "1970-01-01 00:00:00",
        "1970-01-01 00:00:00.000001",
        "infinity",
        "-infinity",
        "0001-12-31 23:59:59.999999 BC",
    ];
    assert_eq!(texts(plain(&array), array), expected);
    let array = TimestampNanosecondArray::from(vec![1_999]);
    assert_eq!(texts(plain(&array), array), ["1970-01-01 00:00:00.000001"]);
    let array = TimestampMicrosecondArray::from(vec![i64::MIN]);
    let result = encoded(
        plain(&array),
        Arc::new(array),
        None,
        Format::Text,
        &RenderSettings::default(),
    );
    assert_eq!(result, Err(Error::DateTimeRange { oid: oid::TIMESTAMP }));
}

#[test]
fn zones_and_styles() {
    let array = TimestampMicrosecondArray::from(vec![882_373_036_000_000, -3_000_000_000_000_000]).with_timezone("UTC");
    for (style, expected) in [
        ("ISO, MDY", ["1997-12-17 07:37:16-08", "1874-12-07 10:47:02-07:52:58"]),
        ("SQL, DMY", ["17/12/1997 07:37:16 PST", "07/12/1874 10:47:02 LMT"]),
        (
            "Postgres, MDY",
            ["Wed Dec 17 07:37:16 1997 PST", "Mon Dec 07 10:47:02 1874 LMT"],
        ),
        ("German, DMY", ["17.12.1997 07:37:16 PST", "07.12.1874 10:47:02 LMT"]),
    ] {
        let settings = RenderSettings::parse(style, "", "America/Los_Angeles", "", 1).expect("valid");
        assert_eq!(texts_with(plain(&array), array.clone(), &settings), expected);
    }
}

#[test]
fn intervals_in_every_style() {
    let value = IntervalMonthDayNano::new(14, -3, 14_706_000_007_000);
    for (style, expected) in [
        ("postgres", "1 year 2 mons -3 days +04:05:06.000007"),
        (
            "postgres_verbose",
            "@ 1 year 2 mons -3 days 4 hours 5 mins 6.000007 secs",
        ),
        ("sql_standard", "+1-2 -3 +4:05:06.000007"),
        ("iso_8601", "P1Y2M-3DT4H5M6.000007S"),
    ] {
        let array = IntervalMonthDayNanoArray::from(vec![value]);
        let settings = RenderSettings::parse("", style, "", "", 1).expect("valid");
        assert_eq!(texts_with(plain(&array), array, &settings), [expected]);
    }
}

#[test]
fn opaque_values() {
    let array = raw(&[*b"\xbb\x66\x54\xad\xed\x58\x4d\xf0\x91\xd6\x1a\x3c\x02\x22\x4f\xdc"]);
    assert_eq!(
        texts(extension(&array, "arrow.uuid", ""), array),
        ["bb6654ad-ed58-4df0-91d6-1a3c02224fdc"]
    );
    let array = BinaryArray::from(vec![b"\x04\xfb".as_slice()]);
    assert_eq!(texts(opaque(&array, "bit"), array.clone()), ["1011"]);
    assert_eq!(binaries(opaque(&array, "bit"), array), [Some(vec![0, 0, 0, 4, 0xb0])]);
    let array = BinaryArray::from(vec![b"\x80\x00\x02\x01\x00".as_slice()]);
    assert_eq!(texts(opaque(&array, "bignum"), array.clone()), ["256"]);
    assert_eq!(
        binaries(opaque(&array, "bignum"), array),
        [Some(vec![0, 1, 0, 0, 0, 0, 0, 0, 1, 0])]
    );
}

/// A list whose parts may be NULL.
type Maybe<T> = Option<Vec<T>>;

fn nested(values: Vec<Maybe<Maybe<Option<i32>>>>) -> ListArray {
    let mut builder = ListBuilder::new(ListBuilder::new(Int32Builder::new()));
    for outer in values {
        let valid = outer.is_some();
        for inner in outer.unwrap_or_default() {
            let valid = inner.is_some();
            for value in inner.unwrap_or_default() {
                builder.values().values().append_option(value);
            }
            builder.values().append(valid);
        }
        builder.append(valid);
    }
    builder.finish()
}

#[test]
fn arrays() {
    let array = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1), None]), None, Some(vec![])]);
    assert_eq!(pg_type(&plain(&array), None).oid, oid::INT4_ARRAY);
    assert_eq!(texts(plain(&array), array.clone()), ["{1,NULL}", "NULL", "{}"]);
    assert_eq!(texts(plain(&array), array.slice(2, 1)), ["{}"]);
    let one: Vec<u8> = [1, 1, 23, 2, 1, 4, 1, -1]
        .iter()
        .flat_map(|word: &i32| word.to_be_bytes())
        .collect();
    let empty: Vec<u8> = [0, 0, 23].iter().flat_map(|word: &i32| word.to_be_bytes()).collect();
    assert_eq!(binaries(plain(&array), array), [Some(one), None, Some(empty)]);

    let mut builder = ListBuilder::new(StringBuilder::new());
    for value in ["a", "", "null", "b c", "q\"\\", "{,}"] {
        builder.values().append_value(value);
    }
    builder.append(true);
    let array = builder.finish();
    assert_eq!(texts(plain(&array), array), [r#"{a,"","null","b c","q\"\\","{,}"}"#]);

    let array = nested(vec![
        Some(vec![Some(vec![Some(1), Some(2)]), Some(vec![Some(3), None])]),
        Some(vec![Some(vec![])]),
    ]);
    assert_eq!(texts(plain(&array), array), ["{{1,2},{3,NULL}}", "{}"]);
    for ragged in [vec![Some(vec![Some(1)]), Some(vec![])], vec![None]] {
        let array = nested(vec![Some(ragged)]);
        let result = encoded(
            plain(&array),
            Arc::new(array),
            None,
            Format::Text,
            &RenderSettings::default(),
        );
        assert_eq!(result, Err(Error::RaggedArray));
    }
}

fn pair() -> StructArray {
    let fields: Fields = vec![
        Field::new("a", DataType::Int32, true),
        Field::new("b", DataType::Utf8, true),
    ]
    .into();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(1), None, Some(2)])),
        Arc::new(StringArray::from(vec![Some("b c"), Some(""), None])),
    ];
    StructArray::new(fields, columns, None)
}

#[test]
fn records() {
    let array = pair();
    assert_eq!(
        texts(plain(&array), array.clone()),
        [r#"(1,"b c")"#, r#"(,"")"#, "(2,)"]
    );
    let expected: Vec<u8> = [2, 23, 4, 2, 25, -1]
        .iter()
        .flat_map(|word: &i32| word.to_be_bytes())
        .collect();
    assert_eq!(binaries(plain(&array), array)[2], Some(expected));
}

#[test]
fn maps_and_unions_are_json() {
    let mut builder = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    builder.keys().append_value("a\"");
    builder.values().append_value(1);
    builder.keys().append_value("b");
    builder.values().append_null();
    builder.append(true).expect("keys and values pair");
    builder.append(true).expect("keys and values pair");
    let array = builder.finish();
    assert_eq!(pg_type(&plain(&array), None).oid, oid::JSON);
    assert_eq!(texts(plain(&array), array), [r#"{"a\"":1,"b":null}"#, "{}"]);

    let members = [
        Field::new("i", DataType::Int32, true),
        Field::new("p", pair().data_type().clone(), true),
    ];
    let fields = UnionFields::try_new([0, 1], members).expect("two members");
    let children: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(vec![5, 0, 0])), Arc::new(pair())];
    let array = UnionArray::try_new(fields, ScalarBuffer::from(vec![0_i8, 1, 1]), None, children).expect("a union");
    assert_eq!(
        texts(plain(&array), array),
        [r#"{"i":5}"#, r#"{"p":{"a":null,"b":""}}"#, r#"{"p":{"a":2,"b":null}}"#]
    );
}

#[test]
fn aliases_change_the_type_and_its_binary_form() {
    let settings = RenderSettings::default();
    let array: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    assert_eq!(pg_type(&plain(&array), Some("oid")).oid, oid::OID);
    assert_eq!(
        encoded(plain(&array), array.clone(), Some("oid"), Format::Binary, &settings),
        Ok(vec![Some(vec![0, 0, 0, 1])])
    );
    let large: ArrayRef = Arc::new(Int64Array::from(vec![1 << 40]));
    assert!(encoded(plain(&large), large, Some("regclass"), Format::Binary, &settings).is_err());
    let array = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)])]);
    assert_eq!(pg_type(&plain(&array), Some("oid[]")).oid, oid::OID_ARRAY);
    let array: ArrayRef = Arc::new(StringArray::from(vec!["r"]));
    for (alias, expected) in [
        ("name", oid::NAME),
        ("\"char\"", oid::CHAR),
        ("jsonb", oid::JSONB),
        ("mood", oid::TEXT),
        ("point", oid::TEXT),
    ] {
        assert_eq!(pg_type(&plain(&array), Some(alias)).oid, expected, "{alias}");
    }
    assert_eq!(
        encoded(plain(&array), array.clone(), Some("jsonb"), Format::Binary, &settings),
        Ok(vec![Some(vec![1, b'r'])])
    );
    assert_eq!(
        encoded(plain(&array), array.clone(), Some("char"), Format::Binary, &settings),
        Ok(vec![Some(vec![b'r'])])
    );
    let refused = encoded(plain(&array), array, Some("inet"), Format::Binary, &settings);
    assert_eq!(refused, Err(Error::NoBinaryOutput { oid: oid::INET }));
    let mut vectors = ListBuilder::new(arrow_array::builder::Int16Builder::new());
    vectors.values().append_slice(&[1, 2]);
    vectors.append(true);
    let array: ArrayRef = Arc::new(vectors.finish());
    assert_eq!(
        encoded(plain(&array), array, Some("int2vector"), Format::Text, &settings),
        Ok(vec![Some(b"1 2".to_vec())])
    );
}

#[test]
fn runs_formats_and_errors() {
    let array: ArrayRef = Arc::new(Int32Array::from_iter_values(0..1000));
    let field = plain(&array);
    let values = encoded(
        field.clone(),
        array.clone(),
        None,
        Format::Text,
        &RenderSettings::default(),
    )
    .expect("encodable");
    assert!(
        values
            .iter()
            .enumerate()
            .all(|(row, value)| value.as_deref() == Some(row.to_string().as_bytes()))
    );
    let spec = ColumnSpec {
        pg: pg_type(&field, None),
        field: Arc::new(field.clone()),
    };
    let formats = [Format::Text, Format::Binary];
    let result = RowEncoder::new(std::slice::from_ref(&spec), &formats, &RenderSettings::default());
    assert_eq!(result.err(), Some(Error::FormatCount { formats: 2, columns: 1 }));
    let other: ArrayRef = Arc::new(Int16Array::from(vec![1]));
    let schema = Schema::new_with_metadata(vec![plain(&other)], HashMap::new());
    let batch = RecordBatch::try_new(Arc::new(schema), vec![other]).expect("a batch");
    let mut encoder = RowEncoder::new(&[spec], &[], &RenderSettings::default()).expect("known types");
    let mut out = vec![1, 2];
    assert!(matches!(
        encoder.encode(&batch, 0..1, &mut out),
        Err(Error::InternalLayout { .. })
    ));
    assert_eq!(out, [1, 2]);
}
