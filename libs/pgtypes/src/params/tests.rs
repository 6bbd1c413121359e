//! Round trips through the encoders, exact refusals, and bytes that mean nothing.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int16Array, Int32Array,
    Int64Array, IntervalMonthDayNanoArray, ListArray, RecordBatch, StringArray, Time64MicrosecondArray,
    TimestampMicrosecondArray, types::Int32Type,
};
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::{Field, Schema};
use pintail_sqlstate::ToReport as _;
use proptest::prelude::*;

use super::*;
use crate::{
    ColumnSpec, PgType, RowEncoder,
    oid::{TYPES, TypeInfo},
    pg_type,
};

/// Sends the array's one value in a format and reads it back.
fn there_and_back(array: impl Array + 'static, format: Format, settings: &RenderSettings) -> Result<ParamValue, Error> {
    let array: ArrayRef = Arc::new(array);
    let field = Field::new("v", array.data_type().clone(), true);
    let pg: PgType = pg_type(&field, None);
    let specs = [ColumnSpec {
        field: Arc::new(field.clone()),
        pg,
    }];
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).expect("a batch");
    let mut out = Vec::new();
    RowEncoder::new(&specs, &[format], settings)?.encode(&batch, 0..1, &mut out)?;
    decode_param(pg.oid, format, Some(&out[11..]), settings)
}

fn check(
    array: impl Array + Clone + 'static,
    settings: &RenderSettings,
    expected: &ParamValue,
) -> Result<(), TestCaseError> {
    for format in [Format::Text, Format::Binary] {
        let value = there_and_back(array.clone(), format, settings);
        prop_assert_eq!(value.as_ref(), Ok(expected), "{:?}", format);
    }
    Ok(())
}

fn settings() -> impl Strategy<Value = RenderSettings> {
    let dates = prop::sample::select(vec![
        "ISO, MDY",
        "ISO, DMY",
        "SQL, MDY",
        "SQL, DMY",
        "German, DMY",
        "Postgres, MDY",
        "Postgres, DMY",
    ]);
    let intervals = prop::sample::select(vec!["postgres", "postgres_verbose", "sql_standard", "iso_8601"]);
    let bytea = prop::sample::select(vec!["hex", "escape"]);
    (dates, intervals, bytea)
        .prop_map(|(date, interval, bytea)| RenderSettings::parse(date, interval, "UTC", bytea, 1).expect("valid"))
}

proptest! {
    #[test]
    fn numbers(small: i16, middle: i32, large: i64, single: f32, double: f64) {
        let settings = RenderSettings::default();
        check(Int16Array::from(vec![small]), &settings, &ParamValue::Int2(small))?;
        check(Int32Array::from(vec![middle]), &settings, &ParamValue::Int4(middle))?;
        check(Int64Array::from(vec![large]), &settings, &ParamValue::Int8(large))?;
        check(Float32Array::from(vec![single]), &settings, &ParamValue::Float4(single))?;
        check(Float64Array::from(vec![double]), &settings, &ParamValue::Float8(double))?;
    }

    #[test]
    fn decimals(value in -99_999_999_999_999_999_999_999_999_999_999_999_999_i128..=99_999_999_999_999_999_999_999_999_999_999_999_999, scale in 0_u8..=38) {
        let array = Decimal128Array::from(vec![value]).with_precision_and_scale(38, scale.cast_signed()).expect("valid");
        check(array, &RenderSettings::default(), &ParamValue::Decimal { value, scale })?;
    }

    #[test]
    fn strings(text in "[^\0]{0,40}", bytes in prop::collection::vec(any::<u8>(), 0..40), settings in settings()) {
        check(StringArray::from(vec![text.as_str()]), &settings, &ParamValue::Text { oid: oid::TEXT, text })?;
        check(BinaryArray::from(vec![bytes.as_slice()]), &settings, &ParamValue::Bytes(bytes))?;
    }

    #[test]
    fn dates_and_times(days in -700_000_i32..2_000_000, micros in 0_i64..86_400_000_000, instant in -60_000_000_000_000_000_i64..200_000_000_000_000_000, settings in settings()) {
        check(Date32Array::from(vec![days]), &settings, &ParamValue::Date(days))?;
        check(Time64MicrosecondArray::from(vec![micros]), &settings, &ParamValue::Time(micros))?;
        check(TimestampMicrosecondArray::from(vec![instant]), &settings, &ParamValue::Timestamp(instant))?;
        check(TimestampMicrosecondArray::from(vec![instant]).with_timezone("UTC"), &settings, &ParamValue::TimestampTz(instant))?;
    }

    #[test]
    fn intervals(months in -5000_i32..5000, days in -5000_i32..5000, micros in -9_000_000_000_000_000_i64..9_000_000_000_000_000, settings in settings()) {
        let array = IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(months, days, micros * 1000)]);
        check(array, &settings, &ParamValue::Interval { months, days, micros })?;
    }

    #[test]
    fn arrays(values in prop::collection::vec(any::<Option<i32>>(), 1..10)) {
        let array = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(values.clone())]);
        let dims = vec![values.len()];
        let values = values.into_iter().map(|value| value.map_or(ParamValue::Null(oid::INT4), ParamValue::Int4)).collect();
        check(array, &RenderSettings::default(), &ParamValue::Array(ArrayValue { element_oid: oid::INT4, dims, values }))?;
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64), kind in 0..TYPES.len(), text in "[-+:.,{}\\\\\"0-9a-zTZ ]{0,24}") {
        let TypeInfo { oid, .. } = TYPES[kind];
        let settings = RenderSettings::default();
        for format in [Format::Text, Format::Binary] {
            let _ = decode_param(oid, format, Some(&bytes), &settings);
        }
        let _ = decode_param(oid, Format::Text, Some(text.as_bytes()), &settings);
    }

    #[test]
    fn any_date_like_text_is_read_or_refused(text in "[-+:./,0-9 ]{0,12}([a-zA-Z]{0,9}[-+:./0-9 ]{0,12}){0,3}") {
        let settings = RenderSettings::default();
        for oid in [oid::DATE, oid::TIME, oid::TIMETZ, oid::TIMESTAMP, oid::TIMESTAMPTZ, oid::INTERVAL] {
            let _ = decode_param(oid, Format::Text, Some(text.as_bytes()), &settings);
        }
    }
}

fn refusal(type_oid: u32, format: Format, bytes: &[u8]) -> (String, String) {
    let error = decode_param(type_oid, format, Some(bytes), &RenderSettings::default()).expect_err("refused");
    let report = error.to_report();
    (report.sqlstate.to_string(), report.message)
}

#[test]
fn refusals_read_like_postgresqls() {
    for (type_oid, text, code, message) in [
        (
            oid::INT4,
            "abc",
            "22P02",
            "invalid input syntax for type integer: \"abc\"",
        ),
        (
            oid::INT2,
            "99999",
            "22003",
            "value \"99999\" is out of range for type smallint",
        ),
        (
            oid::FLOAT8,
            "1e999",
            "22003",
            "\"1e999\" is out of range for type double precision",
        ),
        (
            oid::BOOL,
            "maybe",
            "22P02",
            "invalid input syntax for type boolean: \"maybe\"",
        ),
        (oid::UUID, "1", "22P02", "invalid input syntax for type uuid: \"1\""),
        (
            oid::TIMESTAMP,
            "soon",
            "22007",
            "invalid input syntax for type timestamp: \"soon\"",
        ),
        (
            oid::DATE,
            "2021-02-30",
            "22008",
            "date/time field value out of range: \"2021-02-30\"",
        ),
        (oid::INT4_ARRAY, "{1", "22P02", "malformed array literal: \"{1\""),
        (
            oid::TEXT,
            "a\0",
            "22021",
            "invalid byte sequence for encoding \"UTF8\": 0x00",
        ),
    ] {
        assert_eq!(
            refusal(type_oid, Format::Text, text.as_bytes()),
            (code.to_owned(), message.to_owned())
        );
    }
}

#[test]
fn bytes_of_no_value_are_refused() {
    for (type_oid, bytes, code) in [
        (oid::INT4, &[0, 0, 1][..], "08P01"),
        (oid::INT4, &[0, 0, 0, 0, 1], "22P03"),
        (oid::NUMERIC, &[0, 1, 0, 0, 0, 0, 0, 0], "08P01"),
        (oid::NUMERIC, &[0, 1, 0, 0, 0, 0, 0, 0, 0x27, 0x10], "22P03"),
        (oid::JSONB, &[2, b'1'], "22P03"),
        (oid::TEXT, &[0xff], "22021"),
        (
            oid::TIMESTAMP,
            &[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe],
            "22008",
        ),
        (oid::INT4_ARRAY, &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20], "22P03"),
        (
            oid::INT4_ARRAY,
            &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0x0f, 0, 0, 0, 0, 0, 0, 1],
            "22P03",
        ),
        (oid::INET, &[1], "42883"),
    ] {
        assert_eq!(refusal(type_oid, Format::Binary, bytes).0, code, "{type_oid} {bytes:?}");
    }
}

#[test]
fn rare_types_are_left_to_the_engine() {
    let settings = RenderSettings::default();
    for type_oid in [0, 705, oid::INET, oid::REGCLASS, 123_456] {
        let value = decode_param(type_oid, Format::Text, Some(b"x"), &settings);
        assert_eq!(
            value,
            Ok(ParamValue::Text {
                oid: type_oid,
                text: "x".to_owned()
            })
        );
    }
    assert_eq!(
        decode_param(oid::REGCLASS, Format::Binary, Some(&[0, 0, 4, 0]), &settings),
        Ok(ParamValue::Oid(1024))
    );
    assert_eq!(
        decode_param(oid::INT4, Format::Binary, None, &settings),
        Ok(ParamValue::Null(oid::INT4))
    );
}

#[test]
fn large_numbers_keep_their_digits() {
    let long = "12345678901234567890123456789012345678901234567890.5";
    let value = decode_param(
        oid::NUMERIC,
        Format::Text,
        Some(long.as_bytes()),
        &RenderSettings::default(),
    );
    assert_eq!(value, Ok(ParamValue::Numeric(long.to_owned())));
}
