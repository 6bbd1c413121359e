//! What is written, and that it is read again.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use proptest::prelude::*;

use super::*;

/// The payloads of messages.
fn payloads(mut out: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some((head, rest)) = out.split_first_chunk::<5>() {
        let [b'd', length @ ..] = *head else {
            panic!("not CopyData")
        };
        let (payload, rest) = rest.split_at(u32::from_be_bytes(length) as usize - 4);
        all.extend_from_slice(payload);
        out = rest;
    }
    all
}

fn written(batch: &RecordBatch, options: &CopyOptions) -> Vec<u8> {
    let specs: Vec<_> = batch
        .schema()
        .fields()
        .iter()
        .map(|field| spec(field.as_ref().clone()))
        .collect();
    let mut encoder = CopyEncoder::new(&specs, options, &RenderSettings::default()).expect("an encoder");
    let mut out = Vec::new();
    encoder.encode(batch, 0..batch.num_rows(), &mut out).expect("encoded");
    encoder.finish(&mut out).expect("finished");
    payloads(&out)
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let fields: Vec<_> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("a batch")
}

#[test]
fn rows_are_written_as_postgresql_writes_them() {
    let rows = batch(vec![
        ("a", Arc::new(Int32Array::from(vec![1, 2, 3, 4]))),
        (
            "b",
            Arc::new(StringArray::from(vec![
                "a\tb\nc\rd\\e\u{8}f\u{c}gvh",
                "",
                "q\"x,y'z",
                "|;é",
            ])),
        ),
        (
            "c",
            Arc::new(StringArray::from(vec![None, Some("\\N"), Some("\\."), Some("N")])),
        ),
        (
            "d",
            Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true)])),
        ),
    ]);
    let quoted = |quote, escape, options| CopyOptions {
        quote,
        escape,
        ..options
    };
    let bars = |options| CopyOptions {
        delimiter: b'|',
        null: "N".into(),
        ..options
    };
    let forced = CopyOptions {
        force_quote: CopyColumns::All,
        header: CopyHeader::Present,
        ..csv()
    };
    let header = CopyOptions {
        header: CopyHeader::Present,
        ..text()
    };
    let cases: &[(CopyOptions, &str)] = &[
        (
            text(),
            "1\ta\\tb\\nc\\rd\\\\e\\bf\\fgvh\t\\N\tt\n2\t\t\\\\N\tf\n3\tq\"x,y'z\t\\\\.\t\\N\n4\t|;é\tN\tt\n",
        ),
        (
            csv(),
            "1,\"a\tb\nc\rd\\e\u{8}f\u{c}gvh\",,t\n2,\"\",\\N,f\n3,\"q\"\"x,y'z\",\\.,\n4,|;é,N,t\n",
        ),
        (
            bars(text()),
            "1|a\\tb\\nc\\rd\\\\e\\bf\\fgvh|N|t\n2||\\\\N|f\n3|q\"x,y'z|\\\\.|N\n4|\\|;é|N|t\n",
        ),
        (
            quoted(b'\'', b'\\', bars(csv())),
            "1|'a\tb\nc\rd\\\\e\u{8}f\u{c}gvh'|N|t\n2||\\N|f\n3|'q\"x,y\\'z'|\\.|N\n4|'|;é'|'N'|t\n",
        ),
        (
            forced,
            "a,b,c,d\n\"1\",\"a\tb\nc\rd\\e\u{8}f\u{c}gvh\",,\"t\"\n\"2\",\"\",\"\\N\",\"f\"\n\"3\",\"q\"\"x,y'z\",\"\\.\",\n\"4\",\"|;é\",\"N\",\"t\"\n",
        ),
        (
            header,
            "a\tb\tc\td\n1\ta\\tb\\nc\\rd\\\\e\\bf\\fgvh\t\\N\tt\n2\t\t\\\\N\tf\n3\tq\"x,y'z\t\\\\.\t\\N\n4\t|;é\tN\tt\n",
        ),
        (
            quoted(b'~', b'!', csv()),
            "1,~a\tb\nc\rd\\e\u{8}f\u{c}gvh~,,t\n2,~~,\\N,f\n3,~q\"x,y'z~,\\.,\n4,|;é,N,t\n",
        ),
    ];
    for (options, expected) in cases {
        assert_eq!(String::from_utf8_lossy(&written(&rows, options)), *expected);
    }
    let alone = batch(vec![(
        "b",
        Arc::new(StringArray::from(vec![Some("\\."), Some(""), Some("a\\."), None])),
    )]);
    assert_eq!(written(&alone, &csv()), b"\"\\.\"\n\"\"\na\\.\n\n");
    assert_eq!(written(&alone, &text()), b"\\\\.\n\na\\\\.\n\\N\n");
}

/// A delimiter, quote and NULL that may be chosen together.
fn dialect() -> impl Strategy<Value = CopyOptions> {
    let pick = |choices: &'static [u8]| prop::sample::select(choices);
    let text = (pick(b"\t|;,:-"), prop::sample::select(vec!["\\N", "", "null", "NA"])).prop_map(|(delimiter, null)| {
        CopyOptions {
            delimiter,
            null: null.into(),
            ..text()
        }
    });
    let quotes = (pick(b"\"'~"), pick(b"\"'\\!"));
    let csv = (
        pick(b",\t|;"),
        quotes,
        prop::sample::select(vec!["", "NULL", "\\N"]),
        any::<bool>(),
    )
        .prop_map(|(delimiter, (quote, escape), null, header)| CopyOptions {
            delimiter,
            quote,
            escape,
            null: null.into(),
            header: if header { CopyHeader::Match } else { CopyHeader::Absent },
            ..csv()
        });
    prop_oneof![text, csv, Just(binary())]
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        numbers in prop::collection::vec(any::<Option<i32>>(), 1..20),
        texts in prop::collection::vec(prop::option::of("[a-zé\"',;|~!\\\\N.\t\n\r\u{8}]{0,6}"), 20),
        options in dialect(),
        cut in 0..400_usize,
    ) {
        let texts: Vec<_> = texts.into_iter().take(numbers.len()).collect();
        // Text has no way to tell its NULL from the same value.
        let told = |text: &Option<String>| match text {
            Some(text) if options.format == CopyFormat::Text && *text == options.null => None,
            text => text.clone(),
        };
        let texts: Vec<_> = texts.iter().map(told).collect();
        let rows = batch(vec![
            ("a", Arc::new(Int32Array::from(numbers))),
            ("b", Arc::new(StringArray::from(texts))),
        ]);
        let data = written(&rows, &options);
        let specs = columns(PAIR);
        let mut decoder = CopyDecoder::new("t", &specs, &options, &RenderSettings::default()).expect("a decoder");
        let mut back = Vec::new();
        let mut keep = |batch| {
            back.push(batch);
            Ok::<_, Error>(())
        };
        let cut = cut.min(data.len());
        decoder.read(&data[..cut], &mut keep).expect("read");
        decoder.read(&data[cut..], &mut keep).expect("read");
        decoder.finish(&mut keep).expect("read");
        prop_assert_eq!(&back, &[rows]);
    }

    #[test]
    fn no_bytes_break_the_reader(data in prop::collection::vec(any::<u8>(), 0..200), options in dialect(), cut in 1..50_usize) {
        let _ = read_copy(&data, cut, &columns("a int, b text, c n, d list"), &options);
        let headed = [HEAD, &data].concat();
        let _ = read_copy(&headed, cut, &columns("a int, b text"), &binary());
    }
}
