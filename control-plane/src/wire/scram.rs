//! SCRAM-SHA-256 and SCRAM-SHA-256-PLUS on the server's side (RFC 5802, RFC 7677, RFC 5929; manual, "SASL Authentication").
//!
//! The exchange itself is the `pgwire` crate's; here are the messages' envelopes, the agreement on channel binding, the
//! stored form, and the stand-in by which an unknown name cannot be told from a wrong password.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::{Buf, Bytes};
use pgwire::api::auth::sasl::scram::{ScramSecret, ScramServerAuth, ScramServerAuthWaitingForClientFinal};
use pgwire::error::PgWireError;
use pintail_sqlstate::{Report, SqlState, ToReport};

use super::frontend::Body;

/// The mechanism of every connection.
pub const MECHANISM: &str = "SCRAM-SHA-256";
/// The mechanism that proves, inside TLS, that nobody sits in the middle.
pub const MECHANISM_PLUS: &str = "SCRAM-SHA-256-PLUS";

/// Iterations of verifiers that this server makes and pretends to have.
const ITERATIONS: usize = 4096;
/// PEM's width (RFC 7468).
const PEM_LINE: usize = 64;

/// Authentication failed. None of these tells whether the user exists: each is as likely with one that does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A mechanism that was not offered.
    #[error("client selected an invalid SASL authentication mechanism")]
    Mechanism,
    /// Not a message of SCRAM.
    #[error("malformed SCRAM message")]
    Malformed,
    /// Somebody took the mechanism with channel binding off the list on its way to the client (RFC 5802, section 6).
    #[error("SCRAM channel binding negotiation error")]
    Downgrade,
    /// A binding other than `tls-server-end-point`.
    #[error("unsupported SCRAM channel-binding type")]
    Binding,
    /// The password does not fit.
    #[error("password authentication failed")]
    Password,
}

impl ToReport for Refused {
    fn to_report(&self) -> Report {
        let report = |sqlstate| Report::new(sqlstate, self.to_string());
        match self {
            Self::Mechanism | Self::Malformed | Self::Binding => report(SqlState::PROTOCOL_VIOLATION),
            Self::Downgrade => report(SqlState::INVALID_AUTHORIZATION_SPECIFICATION).with_detail(
                "The client supports SCRAM channel binding but thinks the server does not. \
                 However, this server does support channel binding.",
            ),
            Self::Password => report(SqlState::INVALID_PASSWORD),
        }
    }
}

/// What a client's proof is bound to: the hash of the certificate that the connection shows (`tls-server-end-point`).
#[derive(Debug, Clone)]
pub struct Binding(ScramServerAuth);

impl Binding {
    /// The binding of a certificate in DER. `None` where its signature names no hash of its own (Ed25519, RSASSA-PSS): RFC
    /// 5929 defines no binding for it.
    pub fn of(certificate: &[u8]) -> Option<Self> {
        let encoded = STANDARD.encode(certificate);
        let mut pem = String::from("-----BEGIN CERTIFICATE-----\n");
        let mut rest = encoded.as_str();
        while !rest.is_empty() {
            let (line, more) = rest.split_at(rest.len().min(PEM_LINE));
            pem.push_str(line);
            pem.push('\n');
            rest = more;
        }
        pem.push_str("-----END CERTIFICATE-----\n");
        let mut server = ScramServerAuth::new();
        server.configure_certificate(pem.as_bytes()).ok()?;
        Some(Self(server))
    }
}

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

/// The mechanisms that a connection is offered, the strongest first.
pub fn mechanisms(binding: Option<&Binding>) -> Vec<String> {
    let plus = binding.map(|_| MECHANISM_PLUS.to_owned());
    plus.into_iter().chain([MECHANISM.to_owned()]).collect()
}

/// Waiting for the client's final message.
pub struct AwaitFinal(ScramServerAuthWaitingForClientFinal);

/// Takes a `SASLInitialResponse` body; gives the server's first message.
pub fn first(body: Bytes, verifier: Verifier, binding: Option<&Binding>) -> Result<(String, AwaitFinal), Refused> {
    let (mechanism, message) = initial_response(body)?;
    let server = match (mechanism.as_str(), binding) {
        (MECHANISM, _) => {
            agree(&message, b"n,", binding)?;
            ScramServerAuth::new()
        }
        (MECHANISM_PLUS, Some(binding)) => {
            agree(&message, b"p=tls-server-end-point,", Some(binding))?;
            binding.0.clone()
        }
        _ => return Err(Refused::Mechanism),
    };
    let (answer, next) = server
        .on_client_first_message_with_secret(&message, verifier.0)
        .map_err(|_| Refused::Malformed)?;
    Ok((answer, AwaitFinal(next)))
}

/// Takes the client's final message; gives the server's.
pub fn last(body: &[u8], state: &AwaitFinal) -> Result<String, Refused> {
    state.0.on_client_final_message(body).map_err(|error| match error {
        PgWireError::InvalidPassword(_) => Refused::Password,
        _ => Refused::Malformed,
    })
}

/// Whether the message's first field, what the client knows of channel binding, goes with the mechanism that it chose.
fn agree(message: &[u8], expected: &[u8], binding: Option<&Binding>) -> Result<(), Refused> {
    match (message, binding) {
        _ if message.starts_with(expected) => Ok(()),
        // It can bind and was told that this server cannot, which is so.
        ([b'y', b',', ..], None) => Ok(()),
        ([b'y', b',', ..], Some(_)) => Err(Refused::Downgrade),
        ([b'p', b'=', ..], _) if expected.starts_with(b"p=") => Err(Refused::Binding),
        _ => Err(Refused::Malformed),
    }
}

fn initial_response(body: Bytes) -> Result<(String, Bytes), Refused> {
    let mut body = Body(body);
    let mechanism = body.text().map_err(|_| Refused::Malformed)?;
    let length = body.i32().ok().and_then(|length| usize::try_from(length).ok());
    if length != Some(body.0.remaining()) {
        return Err(Refused::Malformed);
    }
    Ok((mechanism, body.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn initial(mechanism: &str, message: &str) -> Bytes {
        let mut body = mechanism.as_bytes().to_vec();
        body.push(0);
        body.extend(u32::try_from(message.len()).expect("short").to_be_bytes());
        body.extend(message.as_bytes());
        body.into()
    }

    fn refusal(body: Bytes, binding: Option<&Binding>) -> Option<Refused> {
        first(body, Verifier::fake([0; 16]), binding).err()
    }

    fn certificate(algorithm: &'static rcgen::SignatureAlgorithm) -> Vec<u8> {
        let key = rcgen::KeyPair::generate_for(algorithm).expect("key");
        let parameters = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
        parameters.self_signed(&key).expect("certificate").der().to_vec()
    }

    #[test]
    fn malformed_messages_are_refused() {
        for body in [
            &b""[..],
            b"SCRAM-SHA-256\0",
            b"SCRAM-SHA-256\0\0\0\0\x09n,,n=,r=",
            b"SCRAM-SHA-256\0\0\0\0\x02xx",
        ] {
            let refused = refusal(Bytes::copy_from_slice(body), None);
            assert_eq!(refused, Some(Refused::Malformed), "{body:?}");
        }
        assert_eq!(refusal(initial("PLAIN", ""), None), Some(Refused::Mechanism));
    }

    #[test]
    fn a_binding_is_there_for_certificates_that_define_one() {
        for algorithm in [&rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ECDSA_P384_SHA384] {
            assert!(Binding::of(&certificate(algorithm)).is_some(), "{algorithm:?}");
        }
        assert!(Binding::of(&certificate(&rcgen::PKCS_ED25519)).is_none());
        assert!(Binding::of(b"no certificate").is_none());
    }

    #[test]
    fn what_the_client_says_of_binding_must_go_with_the_mechanism() {
        let binding = Binding::of(&certificate(&rcgen::PKCS_ECDSA_P256_SHA256)).expect("binding");
        assert_eq!(mechanisms(Some(&binding)), [MECHANISM_PLUS, MECHANISM]);
        assert_eq!(mechanisms(None), [MECHANISM]);
        let bound = Some(&binding);
        for (mechanism, flag, binding, wanted) in [
            (MECHANISM, "n", None, None),
            (MECHANISM, "n", bound, None),
            (MECHANISM, "y", None, None),
            (MECHANISM, "y", bound, Some(Refused::Downgrade)),
            (MECHANISM, "p=tls-server-end-point", bound, Some(Refused::Malformed)),
            (MECHANISM_PLUS, "p=tls-server-end-point", bound, None),
            (MECHANISM_PLUS, "p=tls-unique", bound, Some(Refused::Binding)),
            (MECHANISM_PLUS, "n", bound, Some(Refused::Malformed)),
            (MECHANISM_PLUS, "y", bound, Some(Refused::Downgrade)),
            (MECHANISM_PLUS, "p=tls-server-end-point", None, Some(Refused::Mechanism)),
        ] {
            let body = initial(mechanism, &format!("{flag},,n=,r=abc"));
            assert_eq!(refusal(body, binding), wanted, "{mechanism} {flag} {binding:?}");
        }
    }
}
