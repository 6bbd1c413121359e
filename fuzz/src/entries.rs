//! One function a target: bytes of a stranger in, no panic and no more memory than the bytes deserve. Shared by the fuzzer and by
//! the test that runs the corpus (`control-plane/tests/fuzz.rs`).

use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};
use bytes::{Bytes, BytesMut};
use pintail_pgtypes::{
    ColumnSpec, CopyFormat, CopyHeader, CopyOptions, Format, RenderSettings, decode_param, oid, pg_type, read_copy,
};

use crate::wire::frontend::{self, Message};
use crate::wire::scram::{self, Verifier};
use crate::wire::startup::{self, FirstPacket};

/// What is reserved ahead for a message that is announced and has not come.
const AHEAD: usize = 2 << 20;

/// The first packet of a connection: a length word, then what it announces.
pub fn startup(data: &[u8]) {
    let Some((length, body)) = data.split_first_chunk::<4>() else {
        return;
    };
    if let Ok(length) = startup::body_length(*length) {
        assert!((4..=startup::LONGEST).contains(&length));
    }
    match startup::decode(Bytes::copy_from_slice(body)) {
        Ok(FirstPacket::Start(start)) => {
            let held: usize = start
                .parameters
                .iter()
                .map(|(name, value)| name.len() + value.len())
                .sum();
            assert!(held <= body.len());
            for text in start.parameters.values() {
                let options = startup::options(text).unwrap_or_default();
                assert!(
                    options
                        .iter()
                        .map(|(name, value)| name.len() + value.len())
                        .sum::<usize>()
                        <= text.len()
                );
            }
        }
        Ok(FirstPacket::Cancel(key)) => assert!((4..=256).contains(&key.secret.len())),
        Ok(FirstPacket::Tls | FirstPacket::Gss) | Err(_) => {}
    }
}

/// What comes after start-up: messages, whole or not, as they stand in the session's buffer.
pub fn messages(data: &[u8]) {
    let mut buffer = BytesMut::from(data);
    let mut left = data.len();
    while let Ok(Some((kind, body))) = frontend::next_frame(&mut buffer) {
        assert_eq!(left, buffer.len() + body.len() + 5, "a frame is as long as it says");
        left = buffer.len();
        let _ = frontend::peek(&buffer);
        let length = body.len();
        if let Ok(Message::Bind(bind)) = frontend::decode(kind, body) {
            let held: usize = bind.params.iter().flatten().map(Bytes::len).sum();
            assert!(held <= length && bind.params.len() * 4 <= length);
        }
    }
    assert!(buffer.capacity() <= data.len() + AHEAD);
}

/// Both messages of a client that logs in, parted by the first byte's number; the password is one that nobody knows.
pub fn scram(data: &[u8]) {
    let Some((cut, data)) = data.split_first() else { return };
    let (first, last) = data.split_at(data.len().min(usize::from(*cut)));
    if let Ok((answer, state)) = scram::first(Bytes::copy_from_slice(first), Verifier::fake([7; 16]), None) {
        assert!(answer.len() <= data.len() + 256);
        assert!(
            scram::last(last, &state).is_err(),
            "a proof for a password that nobody knows"
        );
        // With the nonce that the server chose, which no fuzzer guesses, the rest of the message is reached.
        let nonce = answer.split(',').next().unwrap_or_default();
        let proof = [b"c=biws,", nonce.as_bytes(), b",p=", last].concat();
        assert!(
            scram::last(&proof, &state).is_err(),
            "a proof for a password that nobody knows"
        );
    }
    let stored = String::from_utf8_lossy(data);
    let _ = Verifier::parse(&stored);
}

/// The value of a parameter: the type's place in the list, the format, then the value.
pub fn bind(data: &[u8]) {
    const TYPES: &[u32] = &[
        oid::BOOL,
        oid::BYTEA,
        oid::CHAR,
        oid::NAME,
        oid::INT8,
        oid::INT2,
        oid::INT2VECTOR,
        oid::INT4,
        oid::TEXT,
        oid::OID,
        oid::OIDVECTOR,
        oid::JSON,
        oid::FLOAT4,
        oid::FLOAT8,
        oid::BPCHAR,
        oid::VARCHAR,
        oid::DATE,
        oid::TIME,
        oid::TIMESTAMP,
        oid::TIMESTAMPTZ,
        oid::INTERVAL,
        oid::TIMETZ,
        oid::BIT,
        oid::VARBIT,
        oid::NUMERIC,
        oid::UUID,
        oid::JSONB,
        1000,
        1001,
        1005,
        1007,
        1009,
        1015,
        1016,
        1021,
        1022,
        1115,
        1182,
        1183,
        1185,
        1187,
        1231,
        1270,
        1561,
        2951,
        3807,
        2249,
        0,
    ];
    let [kind, format, value @ ..] = data else { return };
    let format = if format % 2 == 1 { Format::Binary } else { Format::Text };
    let type_oid = TYPES[usize::from(*kind) % TYPES.len()];
    let _ = decode_param(type_oid, format, Some(value), &RenderSettings::default());
}

/// The data of a COPY: the first byte's bits are the options, the second the size of the pieces that it comes in. Pieces of
/// another size give the same rows.
pub fn copy(data: &[u8]) {
    let [bits, cut, data @ ..] = data else { return };
    let format = [CopyFormat::Text, CopyFormat::Csv, CopyFormat::Binary][usize::from(bits & 3) % 3];
    let mut options = CopyOptions::new(format);
    if bits & 4 != 0 && format != CopyFormat::Binary {
        options.header = CopyHeader::Match;
    }
    if bits & 8 != 0 && format != CopyFormat::Binary {
        options.delimiter = b'|';
        options.null = String::from("null");
    }
    if bits & 16 != 0 && format == CopyFormat::Csv {
        options.escape = b'\\';
    }
    let columns = columns();
    let in_pieces = read_copy(data, usize::from(*cut), &columns, &options);
    let whole = read_copy(data, data.len(), &columns, &options);
    match (in_pieces, whole) {
        (Ok(one), Ok(other)) => {
            assert_eq!(one, other, "rows");
            assert!(one <= data.len() as u64 + 1);
        }
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string(), "errors"),
        (one, other) => panic!("in pieces {one:?}, whole {other:?}"),
    }
}

fn columns() -> Vec<ColumnSpec> {
    let list = DataType::List(Arc::new(Field::new("l", DataType::Int32, true)));
    [
        ("i", DataType::Int32),
        ("t", DataType::Utf8),
        ("n", DataType::Decimal128(12, 3)),
        ("at", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
        ("b", DataType::Binary),
        ("f", DataType::Float64),
        ("l", list),
        ("d", DataType::Date32),
    ]
    .into_iter()
    .map(|(name, data_type)| {
        let field = Field::new(name, data_type, true);
        let pg = pg_type(&field, None);
        ColumnSpec {
            field: Arc::new(field),
            pg,
        }
    })
    .collect()
}
