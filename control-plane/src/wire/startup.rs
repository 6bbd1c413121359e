//! The first packet of a connection (manual, "Start-up" and "Message Formats").

use std::collections::BTreeMap;

use bytes::{Buf, Bytes};

use super::ProtocolError;
use super::frontend::Body;

/// `PostgreSQL`'s limit (`MAX_STARTUP_PACKET_LENGTH`).
pub const LONGEST: usize = 10_000;

const SSL_REQUEST: u32 = 80_877_103;
const GSS_REQUEST: u32 = 80_877_104;
const CANCEL_REQUEST: u32 = 80_877_102;

/// What a first packet asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstPacket {
    /// TLS.
    Tls,
    /// GSSAPI encryption, which is not offered.
    Gss,
    /// To cancel another session's statement.
    Cancel(CancelKey),
    /// A session.
    Start(Startup),
}

/// Names the session whose statement is to be cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CancelKey {
    /// The backend's process id as the client was told.
    pub pid: i32,
    /// 4 bytes under protocol 3.0, up to 256 under 3.2.
    pub secret: Bytes,
}

/// A session's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Startup {
    /// The minor version asked for; the major one is 3.
    pub minor: u16,
    /// Parameters in no order; of a name given twice the last counts.
    pub parameters: BTreeMap<String, String>,
}

/// Checks the length word of a first packet: how many bytes follow it.
pub fn body_length(length: [u8; 4]) -> Result<usize, ProtocolError> {
    let length = u32::from_be_bytes(length) as usize;
    if !(8..=LONGEST).contains(&length) {
        return Err(ProtocolError::Fatal("invalid length of startup packet"));
    }
    Ok(length - 4)
}

/// Decodes the bytes after the length word.
pub fn decode(mut body: Bytes) -> Result<FirstPacket, ProtocolError> {
    const LAYOUT: ProtocolError = ProtocolError::Fatal("invalid startup packet layout");
    let code = body.try_get_u32().map_err(|_| LAYOUT)?;
    match code {
        SSL_REQUEST => return Ok(FirstPacket::Tls),
        GSS_REQUEST => return Ok(FirstPacket::Gss),
        CANCEL_REQUEST => {
            let pid = body.try_get_i32().map_err(|_| LAYOUT)?;
            if !(4..=256).contains(&body.len()) {
                return Err(LAYOUT);
            }
            return Ok(FirstPacket::Cancel(CancelKey { pid, secret: body }));
        }
        _ => {}
    }
    if code >> 16 != 3 {
        return Err(ProtocolError::Version {
            major: code >> 16,
            minor: code & 0xffff,
        });
    }
    let mut body = Body(body);
    let mut parameters = BTreeMap::new();
    loop {
        let name = body.text().map_err(|_| LAYOUT)?;
        if name.is_empty() {
            break;
        }
        let value = body.text().map_err(|_| LAYOUT)?;
        parameters.insert(name, value);
    }
    if !body.0.is_empty() {
        return Err(LAYOUT);
    }
    let minor = u16::try_from(code & 0xffff).unwrap_or(u16::MAX);
    Ok(FirstPacket::Start(Startup { minor, parameters }))
}

/// Splits the `options` parameter: `-c name=value`, `-cname=value`, `--name=value`, with backslash escapes.
///
/// The error is the piece that is no option.
pub fn options(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut words = words(text).into_iter();
    let mut settings = Vec::new();
    while let Some(word) = words.next() {
        let pair = if let Some(rest) = word.strip_prefix("--") {
            rest.to_owned()
        } else if word == "-c" {
            words.next().ok_or_else(|| word.clone())?
        } else if let Some(rest) = word.strip_prefix("-c") {
            rest.to_owned()
        } else {
            return Err(word);
        };
        let (name, value) = pair.split_once('=').ok_or_else(|| pair.clone())?;
        settings.push((name.replace('-', "_"), value.to_owned()));
    }
    Ok(settings)
}

/// Words parted by spaces; a backslash takes the next character as it is.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => word.get_or_insert_default().extend(characters.next()),
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(body: &[u8]) -> Result<FirstPacket, ProtocolError> {
        decode(Bytes::copy_from_slice(body))
    }

    #[test]
    fn lengths_out_of_bounds_are_refused() {
        for length in [0u32, 3, 4, 7, 10_001, 0x7fff_ffff, u32::MAX] {
            assert!(body_length(length.to_be_bytes()).is_err(), "{length}");
        }
        assert_eq!(body_length(8u32.to_be_bytes()), Ok(4));
    }

    #[test]
    fn a_start_up_needs_its_final_zero() {
        assert!(start(b"\0\x03\0\0user\0a\0\0").is_ok());
        for bad in [
            &b"\0\x03\0\0user\0a\0"[..],
            b"\0\x03\0\0user\0a",
            b"\0\x03\0\0user\0a\0\0x",
            b"\0\x02\0\0",
            b"\0\x04\0\0\0",
            b"\0",
        ] {
            assert!(start(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn cancel_keys_of_both_protocols() {
        assert!(matches!(
            start(b"\x04\xd2\x16\x2e\0\0\0\x01abcd"),
            Ok(FirstPacket::Cancel(_))
        ));
        assert!(start(b"\x04\xd2\x16\x2e\0\0\0\x01abc").is_err());
        let mut long = b"\x04\xd2\x16\x2e\0\0\0\x01".to_vec();
        long.extend([7; 256]);
        assert!(start(&long).is_ok());
        long.push(7);
        assert!(start(&long).is_err());
    }

    #[test]
    fn options_in_every_spelling() {
        let list = options(r"-c a.b=1 -cDateStyle=ISO\ MDY --work-mem=4MB").expect("options");
        let expected = [("a.b", "1"), ("DateStyle", "ISO MDY"), ("work_mem", "4MB")];
        assert_eq!(list, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(options("-x"), Err("-x".to_owned()));
    }
}
