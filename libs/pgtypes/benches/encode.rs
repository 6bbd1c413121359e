//! Rows per second of the encoders on one core, over batches shaped like TPC-H's `lineitem`.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{
    ArrayRef, Date32Array, Decimal128Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow_schema::{Field, Schema};
use pintail_pgtypes::{ColumnSpec, Format, RenderSettings, RowEncoder, pg_type};

const ROWS: usize = 2048;
const LEAST: Duration = Duration::from_secs(1);

/// A small generator, so that runs compare.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn signed(&mut self, limit: u64) -> i64 {
        i64::try_from(self.below(limit)).unwrap_or_default()
    }
}

fn int64(limit: u64, numbers: &mut Numbers) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values((0..ROWS).map(|_| numbers.signed(limit))))
}

fn decimal(limit: u64, numbers: &mut Numbers) -> ArrayRef {
    let values = (0..ROWS).map(|_| i128::from(numbers.signed(limit)));
    let array = Decimal128Array::from_iter_values(values).with_precision_and_scale(15, 2);
    Arc::new(array.expect("a valid precision"))
}

fn date(numbers: &mut Numbers) -> ArrayRef {
    let values = (0..ROWS).map(|_| 8000 + i32::try_from(numbers.below(2500)).unwrap_or_default());
    Arc::new(Date32Array::from_iter_values(values))
}

fn strings(choices: &[&str], numbers: &mut Numbers) -> ArrayRef {
    let count = choices.len() as u64;
    Arc::new(StringArray::from_iter_values(
        (0..ROWS).map(|_| choices[usize::try_from(numbers.below(count)).unwrap_or_default()]),
    ))
}

fn lineitem() -> RecordBatch {
    let numbers = &mut Numbers(1);
    let line_number =
        Int32Array::from_iter_values((0..ROWS).map(|_| i32::try_from(numbers.below(7)).unwrap_or_default() + 1));
    let comments = [
        "egular courts above the",
        "ly final dependencies: slyly bold ",
        "riously. regular, express dep",
        "lites. fluffily even de",
        " pending foxes. slyly re",
        "arefully slyly ex",
    ];
    batch(vec![
        ("l_orderkey", int64(6_000_000, numbers)),
        ("l_partkey", int64(200_000, numbers)),
        ("l_suppkey", int64(10_000, numbers)),
        ("l_linenumber", Arc::new(line_number)),
        ("l_quantity", decimal(5000, numbers)),
        ("l_extendedprice", decimal(10_000_000, numbers)),
        ("l_discount", decimal(11, numbers)),
        ("l_tax", decimal(9, numbers)),
        ("l_returnflag", strings(&["A", "N", "R"], numbers)),
        ("l_linestatus", strings(&["O", "F"], numbers)),
        ("l_shipdate", date(numbers)),
        ("l_commitdate", date(numbers)),
        ("l_receiptdate", date(numbers)),
        (
            "l_shipinstruct",
            strings(
                &["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"],
                numbers,
            ),
        ),
        (
            "l_shipmode",
            strings(&["TRUCK", "MAIL", "AIR", "REG AIR", "SHIP", "RAIL", "FOB"], numbers),
        ),
        ("l_comment", strings(&comments, numbers)),
    ])
}

fn one(name: &str, array: ArrayRef) -> RecordBatch {
    batch(vec![(name, array)])
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("a valid batch")
}

fn measure(name: &str, batch: &RecordBatch, format: Format) {
    let specs: Vec<ColumnSpec> = batch
        .schema()
        .fields()
        .iter()
        .map(|field| ColumnSpec {
            field: field.clone(),
            pg: pg_type(field, None),
        })
        .collect();
    let mut encoder = RowEncoder::new(&specs, &[format], &RenderSettings::default()).expect("known types");
    let mut out = Vec::new();
    let (mut rows, mut bytes) = (0_usize, 0_usize);
    let mut best = Duration::MAX;
    let start = Instant::now();
    while start.elapsed() < LEAST {
        let round = Instant::now();
        for _ in 0..16 {
            out.clear();
            encoder.encode(batch, 0..ROWS, &mut out).expect("encodable values");
            rows += ROWS;
            bytes += out.len();
        }
        best = best.min(round.elapsed());
    }
    let seconds = start.elapsed().as_secs_f64();
    #[allow(clippy::cast_precision_loss, reason = "a report in millions")]
    let (mean, best, volume) = (
        rows as f64 / seconds / 1e6,
        (16 * ROWS) as f64 / best.as_secs_f64() / 1e6,
        bytes as f64 / seconds / 1e6,
    );
    println!("{name:<12} {format:?}: {mean:8.2} M rows/s (best {best:8.2}), {volume:8.0} MB/s");
}

fn main() {
    let numbers = &mut Numbers(2);
    let floats = Float64Array::from_iter_values(
        (0..ROWS).map(|_| f64::from(i32::try_from(numbers.below(1 << 30)).unwrap_or_default()) / 1000.0),
    );
    let instants = TimestampMicrosecondArray::from_iter_values(
        (0..ROWS).map(|_| 1_600_000_000_000_000 + numbers.signed(1 << 31) * 1000),
    );
    let batches = [
        ("lineitem", lineitem()),
        ("bigint", one("a", int64(1 << 31, numbers))),
        ("decimal", one("a", decimal(10_000_000, numbers))),
        ("date", one("a", date(numbers))),
        ("double", one("a", Arc::new(floats))),
        ("timestamp", one("a", Arc::new(instants.clone()))),
        ("timestamptz", one("a", Arc::new(instants.with_timezone("UTC")))),
        (
            "text",
            one("a", strings(&["DELIVER IN PERSON", "COLLECT COD", "NONE"], numbers)),
        ),
    ];
    for (name, batch) in &batches {
        for format in [Format::Text, Format::Binary] {
            measure(name, batch, format);
        }
    }
}
