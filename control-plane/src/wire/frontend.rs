//! Frontend messages (manual, "Message Formats"), decoded without trust in any length they carry.

use bytes::{Buf, Bytes, BytesMut};

use super::ProtocolError;

/// `PostgreSQL`'s own limit for a message that may be large.
const LARGE: usize = 0x3fff_ffff;
/// `PostgreSQL`'s own limit for messages that have no reason to be large (`PQ_SMALL_MESSAGE_LIMIT`).
const SMALL: usize = 10_000;

/// What follows from an error in a message of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Of the simple protocol: the server is ready for the next one.
    Simple,
    /// What ends a batch, and does so even where it is malformed.
    Sync,
    /// Any other: all is passed over up to Sync.
    Extended,
}

impl Class {
    /// That of a message by its first byte.
    pub fn of(kind: u8) -> Self {
        match kind {
            b'Q' | b'F' => Self::Simple,
            b'S' => Self::Sync,
            _ => Self::Extended,
        }
    }
}

/// A message after start-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Simple query.
    Query(String),
    /// Makes a prepared statement.
    Parse {
        /// Empty for the unnamed one.
        name: String,
        /// One statement.
        sql: String,
        /// Declared types; 0 for undeclared.
        types: Vec<u32>,
    },
    /// Makes a portal.
    Bind(Bind),
    /// Asks what a statement or portal takes and returns.
    Describe(Target),
    /// Runs a portal.
    Execute {
        /// Its name.
        portal: String,
        /// 0 for no limit.
        max_rows: u32,
    },
    /// Frees a statement or portal.
    Close(Target),
    /// Ends an extended-query batch.
    Sync,
    /// Asks for what is answered so far.
    Flush,
    /// Ends the session.
    Terminate,
    /// COPY bytes.
    CopyData(Bytes),
    /// COPY ends well.
    CopyDone,
    /// COPY ends badly, with the client's reason.
    CopyFail(String),
    /// The retired function-call protocol.
    FunctionCall,
    /// A message of authentication, whose form depends on its state.
    Password(Bytes),
}

/// The content of Bind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bind {
    /// Empty for the unnamed one.
    pub portal: String,
    /// Empty for the unnamed one.
    pub statement: String,
    /// None, one for all, or one a parameter; 0 text, 1 binary.
    pub param_formats: Vec<i16>,
    /// `None` for NULL.
    pub params: Vec<Option<Bytes>>,
    /// None, one for all, or one a column.
    pub result_formats: Vec<i16>,
}

/// What Describe and Close name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A prepared statement.
    Statement(String),
    /// A portal.
    Portal(String),
}

/// Takes the next whole message from `buffer`; `None` where more bytes are needed.
pub fn next_frame(buffer: &mut BytesMut) -> Result<Option<(u8, Bytes)>, ProtocolError> {
    let Some(header) = buffer.get(..5) else {
        return Ok(None);
    };
    let kind = header[0];
    let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]) as usize;
    let limit = match kind {
        b'Q' | b'P' | b'B' | b'd' | b'F' | b'p' => LARGE,
        b'D' | b'E' | b'C' | b'S' | b'H' | b'X' | b'c' | b'f' => SMALL,
        _ => return Err(ProtocolError::Fatal("invalid frontend message type")),
    };
    if length < 4 || length > limit {
        return Err(ProtocolError::Fatal("invalid message length"));
    }
    if buffer.len() < length + 1 {
        buffer.reserve((length + 1 - buffer.len()).min(1 << 20));
        return Ok(None);
    }
    let mut frame = buffer.split_to(length + 1).freeze();
    frame.advance(5);
    Ok(Some((kind, frame)))
}

/// The type byte of the next whole message, if it is there.
pub fn peek(buffer: &[u8]) -> Option<u8> {
    let length = u32::from_be_bytes(buffer.get(1..5)?.try_into().ok()?) as usize;
    (buffer.len() > length).then_some(buffer[0])
}

/// Decodes a whole message.
pub fn decode(kind: u8, body: Bytes) -> Result<Message, ProtocolError> {
    let mut body = Body(body);
    let message = match kind {
        b'Q' => Message::Query(body.text()?),
        b'P' => Message::Parse {
            name: body.text()?,
            sql: body.text()?,
            types: body.list(Body::u32)?,
        },
        b'B' => Message::Bind(Bind {
            portal: body.text()?,
            statement: body.text()?,
            param_formats: body.list(Body::i16)?,
            params: body.list(Body::value)?,
            result_formats: body.list(Body::i16)?,
        }),
        b'D' => Message::Describe(body.target()?),
        b'C' => Message::Close(body.target()?),
        b'E' => Message::Execute {
            portal: body.text()?,
            max_rows: u32::try_from(body.i32()?).unwrap_or(0),
        },
        b'S' => Message::Sync,
        b'H' => Message::Flush,
        // Whatever it carries, the client goes.
        b'X' => return Ok(Message::Terminate),
        b'd' => return Ok(Message::CopyData(body.0)),
        b'c' => Message::CopyDone,
        b'f' => Message::CopyFail(body.text()?),
        b'F' => return Ok(Message::FunctionCall),
        b'p' => return Ok(Message::Password(body.0)),
        _ => return Err(ProtocolError::Fatal("invalid frontend message type")),
    };
    if !body.0.is_empty() {
        return Err(ProtocolError::Message("invalid message format"));
    }
    Ok(message)
}

/// A cursor over a message's body that never reads past its end.
pub(crate) struct Body(pub(crate) Bytes);

const SHORT: ProtocolError = ProtocolError::Message("insufficient data left in message");

impl Body {
    /// A string up to its zero byte.
    pub(crate) fn text(&mut self) -> Result<String, ProtocolError> {
        let end = self
            .0
            .iter()
            .position(|b| *b == 0)
            .ok_or(ProtocolError::Message("invalid string in message"))?;
        let text = self.0.split_to(end);
        self.0.advance(1);
        String::from_utf8(text.into()).map_err(|_| ProtocolError::Encoding)
    }

    fn u32(&mut self) -> Result<u32, ProtocolError> {
        self.0.try_get_u32().map_err(|_| SHORT)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, ProtocolError> {
        self.0.try_get_i32().map_err(|_| SHORT)
    }

    fn i16(&mut self) -> Result<i16, ProtocolError> {
        self.0.try_get_i16().map_err(|_| SHORT)
    }

    fn value(&mut self) -> Result<Option<Bytes>, ProtocolError> {
        match self.i32()? {
            -1 => Ok(None),
            length => {
                let length = usize::try_from(length).map_err(|_| SHORT)?;
                if length > self.0.len() {
                    return Err(SHORT);
                }
                Ok(Some(self.0.split_to(length)))
            }
        }
    }

    /// A 16-bit count, then that many items.
    fn list<T>(&mut self, item: fn(&mut Self) -> Result<T, ProtocolError>) -> Result<Vec<T>, ProtocolError> {
        let count = self.0.try_get_u16().map_err(|_| SHORT)?;
        (0..count).map(|_| item(self)).collect()
    }

    fn target(&mut self) -> Result<Target, ProtocolError> {
        match self.0.try_get_u8().map_err(|_| SHORT)? {
            b'S' => Ok(Target::Statement(self.text()?)),
            b'P' => Ok(Target::Portal(self.text()?)),
            _ => Err(ProtocolError::Message("invalid DESCRIBE or CLOSE message subtype")),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame(kind: u8, body: &[u8]) -> BytesMut {
        let mut buffer = BytesMut::new();
        buffer.extend_from_slice(&[kind]);
        buffer.extend_from_slice(&u32::try_from(body.len() + 4).expect("short").to_be_bytes());
        buffer.extend_from_slice(body);
        buffer
    }

    fn whole(kind: u8, body: &[u8]) -> Result<Message, ProtocolError> {
        let (kind, body) = next_frame(&mut frame(kind, body)).expect("frame").expect("whole");
        decode(kind, body)
    }

    #[test]
    fn a_bind_with_a_null_and_formats() {
        let body = b"p\0s\0\0\x01\0\x01\0\x02\0\0\0\x01x\xff\xff\xff\xff\0\x01\0\x01";
        let Message::Bind(bind) = whole(b'B', body).expect("bind") else {
            panic!("not a Bind")
        };
        assert_eq!(bind.params, vec![Some(Bytes::from_static(b"x")), None]);
        assert_eq!((bind.param_formats, bind.result_formats), (vec![1], vec![1]));
    }

    #[test]
    fn truncated_bodies_are_errors_of_the_message() {
        let full = b"p\0s\0\0\x01\0\x01\0\x01\0\0\0\x05hello\0\x01\0\x01";
        for cut in 0..full.len() {
            assert!(
                matches!(whole(b'B', &full[..cut]), Err(ProtocolError::Message(_))),
                "cut at {cut}"
            );
        }
        assert!(matches!(whole(b'S', b"x"), Err(ProtocolError::Message(_))));
        assert_eq!(whole(b'Q', b"\xff\0"), Err(ProtocolError::Encoding));
    }

    #[test]
    fn lengths_that_cannot_be_end_the_connection() {
        for length in [0u32, 3, 0x4000_0000, u32::MAX] {
            let mut buffer = BytesMut::from(&b"Q"[..]);
            buffer.extend_from_slice(&length.to_be_bytes());
            assert!(
                matches!(next_frame(&mut buffer), Err(ProtocolError::Fatal(_))),
                "{length}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut buffer = BytesMut::from(&bytes[..]);
            while let Ok(Some((kind, body))) = next_frame(&mut buffer) {
                let _ = decode(kind, body);
            }
        }

        #[test]
        fn no_body_panics(kind in prop::sample::select(b"QPBDECSHXdcfFp".to_vec()), body in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = whole(kind, &body);
        }
    }
}
