//! SCRAM verifiers as `PostgreSQL` writes them (RFC 5802, RFC 7677).

use std::num::NonZeroU32;

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::{constant_time, hmac, pbkdf2};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintail_worker_api::Secret;

use crate::Error;

/// A new verifier with a salt of its own. Takes about a millisecond.
pub(crate) fn of(password: &Secret<String>) -> Result<Secret<String>, Error> {
    let password = password.expose();
    if password.is_empty() || password.len() > 1024 || password.contains('\0') {
        return Err(Error::invalid(
            "the password",
            "it must have 1 to 1024 bytes without NUL",
        ));
    }
    Ok(Secret::new(postgres_protocol::password::scram_sha_256(
        password.as_bytes(),
    )))
}

/// Whether a password fits a verifier.
pub(crate) fn fits(verifier: &Secret<String>, password: &Secret<String>) -> bool {
    stored_key(verifier.expose(), password.expose()).unwrap_or(false)
}

fn stored_key(verifier: &str, password: &str) -> Option<bool> {
    let (salted, keys) = verifier.strip_prefix("SCRAM-SHA-256$")?.split_once('$')?;
    let (iterations, salt) = salted.split_once(':')?;
    let iterations: NonZeroU32 = iterations.parse().ok()?;
    let salt = STANDARD.decode(salt).ok()?;
    let stored = STANDARD.decode(keys.split_once(':')?.0).ok()?;
    // As PostgreSQL does: what SASLprep refuses is taken as it is.
    let prepared = stringprep::saslprep(password).unwrap_or(password.into());
    let mut salted_password = [0; 32];
    pbkdf2::derive(
        pbkdf2::PBKDF2_HMAC_SHA256,
        iterations,
        &salt,
        prepared.as_bytes(),
        &mut salted_password,
    );
    let client_key = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &salted_password), b"Client Key");
    let computed = digest(&SHA256, client_key.as_ref());
    Some(constant_time::verify_slices_are_equal(computed.as_ref(), &stored).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verifier_fits_its_password_only() {
        for password in ["secret", "pässwörd", "\u{00a0}wide", "IX\u{00ad}"] {
            let password = Secret::new(password.to_owned());
            let verifier = of(&password).expect("verifier");
            assert!(fits(&verifier, &password), "{}", password.expose());
            assert!(!fits(&verifier, &Secret::new("other".into())));
        }
        assert!(!fits(&Secret::new("nonsense".into()), &Secret::new("nonsense".into())));
    }

    #[test]
    fn empty_and_unsendable_passwords_are_refused_without_being_repeated() {
        let error = of(&Secret::new("hush\0hush".into())).expect_err("refused");
        assert!(!format!("{error} {error:?}").contains("hush"));
        assert!(of(&Secret::new(String::new())).is_err());
    }
}
