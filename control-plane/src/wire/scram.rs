//! SCRAM-SHA-256 on the server's side (RFC 5802, RFC 7677; manual, "SASL Authentication").
//!
//! The exchange itself is the `pgwire` crate's; here are the messages' envelopes, the stored form, and the stand-in by
//! which an unknown name cannot be told from a wrong password.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::{Buf, Bytes};
use pgwire::api::auth::sasl::scram::{ScramSecret, ScramServerAuth, ScramServerAuthWaitingForClientFinal};

use super::ProtocolError;
use super::frontend::Body;

/// The one mechanism offered.
pub const MECHANISM: &str = "SCRAM-SHA-256";

/// Iterations of verifiers that this server makes and pretends to have.
const ITERATIONS: usize = 4096;

/// Authentication failed; why is told to nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

/// What the server knows of a name.
pub struct Verifier(ScramSecret);

impl Verifier {
    /// Reads `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("SCRAM-SHA-256$")?;
        let (head, keys) = rest.split_once('$')?;
        let (iterations, salt) = head.split_once(':')?;
        let (stored, server) = keys.split_once(':')?;
        Some(Self(ScramSecret::Verifier {
            salt: STANDARD.decode(salt).ok()?,
            iterations: iterations.parse().ok()?,
            stored_key: STANDARD.decode(stored).ok()?,
            server_key: STANDARD.decode(server).ok()?,
        }))
    }

    /// A verifier that no password fits, with the salt that a real one would have.
    pub fn fake(salt: [u8; 16]) -> Self {
        let nobody_knows: [u8; 64] = rand::random();
        let (stored_key, server_key) = nobody_knows.split_at(32);
        Self(ScramSecret::Verifier {
            salt: salt.to_vec(),
            iterations: ITERATIONS,
            stored_key: stored_key.to_vec(),
            server_key: server_key.to_vec(),
        })
    }
}

/// Waiting for the client's final message.
pub struct AwaitFinal(ScramServerAuthWaitingForClientFinal);

/// Takes a `SASLInitialResponse` body; gives the server's first message.
pub fn first(body: Bytes, verifier: Verifier) -> Result<(String, AwaitFinal), Refused> {
    let message = initial_response(body).map_err(|_| Refused)?;
    let (answer, next) = ScramServerAuth::new()
        .on_client_first_message_with_secret(&message, verifier.0)
        .map_err(|_| Refused)?;
    Ok((answer, AwaitFinal(next)))
}

/// Takes the client's final message; gives the server's.
pub fn last(body: &[u8], state: &AwaitFinal) -> Result<String, Refused> {
    state.0.on_client_final_message(body).map_err(|_| Refused)
}

fn initial_response(body: Bytes) -> Result<Bytes, ProtocolError> {
    let mut body = Body(body);
    if body.text()? != MECHANISM {
        return Err(ProtocolError::Fatal(
            "client selected an invalid SASL authentication mechanism",
        ));
    }
    let length = usize::try_from(body.i32()?).map_err(|_| ProtocolError::Fatal("invalid SASL message"))?;
    if body.0.remaining() != length {
        return Err(ProtocolError::Fatal("invalid SASL message"));
    }
    Ok(body.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_messages_are_refused() {
        for body in [
            &b""[..],
            b"SCRAM-SHA-256\0",
            b"SCRAM-SHA-256\0\0\0\0\x09n,,n=,r=",
            b"PLAIN\0\0\0\0\0",
            b"SCRAM-SHA-256\0\0\0\0\x02xx",
        ] {
            assert!(
                first(Bytes::copy_from_slice(body), Verifier::fake([0; 16])).is_err(),
                "{body:?}"
            );
        }
    }
}
