//! SCRAM verifiers as `PostgreSQL` writes them (RFC 5802, RFC 7677).

use std::num::NonZeroU32;

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::{constant_time, hmac, pbkdf2};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintail_worker_api::Secret;

use crate::Error;

/// Rounds of verifiers that are made, and pretended to be there.
const ITERATIONS: NonZeroU32 = NonZeroU32::MIN.saturating_add(4095);

/// The longest password, bytes: tokens of several kilobytes serve as passwords too.
const LONGEST: usize = 65_535;

/// The salt of a user's verifier, whether there is such a user or not: a client that asks without a password learns nothing.
///
/// Salts need to differ between users, not to be random; they stay the same when a password changes.
pub fn login_salt(installation_key: &Secret<Vec<u8>>, org: &str, user: &str) -> [u8; 16] {
    let key = hmac::Key::new(hmac::HMAC_SHA256, installation_key.expose());
    // No slug holds NUL, and neither does a start-up packet's user.
    let tag = hmac::sign(&key, format!("{org}\0{user}").as_bytes());
    let mut salt = [0; 16];
    salt.copy_from_slice(&tag.as_ref()[..16]);
    salt
}

/// A verifier with this salt. Takes about a millisecond.
pub(crate) fn of(password: &Secret<String>, salt: [u8; 16]) -> Result<Secret<String>, Error> {
    let password = password.expose();
    if password.is_empty() || password.len() > LONGEST || password.contains('\0') {
        return Err(Error::invalid(
            "the password",
            "it must have 1 to 65535 bytes without NUL",
        ));
    }
    let salted = salted_password(password, &salt, ITERATIONS);
    let server_key = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &salted), b"Server Key");
    Ok(Secret::new(format!(
        "SCRAM-SHA-256${ITERATIONS}:{}${}:{}",
        STANDARD.encode(salt),
        STANDARD.encode(stored_key_of(&salted)),
        STANDARD.encode(server_key),
    )))
}

fn salted_password(password: &str, salt: &[u8], iterations: NonZeroU32) -> [u8; 32] {
    // As PostgreSQL does: what SASLprep refuses is taken as it is.
    let prepared = stringprep::saslprep(password).unwrap_or(password.into());
    let mut salted = [0; 32];
    pbkdf2::derive(
        pbkdf2::PBKDF2_HMAC_SHA256,
        iterations,
        salt,
        prepared.as_bytes(),
        &mut salted,
    );
    salted
}

fn stored_key_of(salted_password: &[u8]) -> Vec<u8> {
    let client_key = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, salted_password), b"Client Key");
    digest(&SHA256, client_key.as_ref()).as_ref().to_vec()
}

/// A verifier with this salt, if the password does not fit the present one.
pub(crate) fn unless_it_fits(
    present: &Secret<String>,
    password: &Secret<String>,
    salt: [u8; 16],
) -> Result<Option<Secret<String>>, Error> {
    if fits(present, password) {
        return Ok(None);
    }
    of(password, salt).map(Some)
}

/// Whether a password fits a verifier.
fn fits(verifier: &Secret<String>, password: &Secret<String>) -> bool {
    stored_key(verifier.expose(), password.expose()).unwrap_or(false)
}

fn stored_key(verifier: &str, password: &str) -> Option<bool> {
    let (salted, keys) = verifier.strip_prefix("SCRAM-SHA-256$")?.split_once('$')?;
    let (iterations, salt) = salted.split_once(':')?;
    let iterations: NonZeroU32 = iterations.parse().ok()?;
    let salt = STANDARD.decode(salt).ok()?;
    let stored = STANDARD.decode(keys.split_once(':')?.0).ok()?;
    let computed = stored_key_of(&salted_password(password, &salt, iterations));
    Some(constant_time::verify_slices_are_equal(&computed, &stored).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verifier_fits_its_password_only() {
        for password in ["secret", "pässwörd", "\u{00a0}wide", "IX\u{00ad}"] {
            let password = Secret::new(password.to_owned());
            let verifier = of(&password, [7; 16]).expect("verifier");
            assert!(fits(&verifier, &password), "{}", password.expose());
            assert!(!fits(&verifier, &Secret::new("other".into())));
        }
        assert!(!fits(&Secret::new("nonsense".into()), &Secret::new("nonsense".into())));
    }

    #[test]
    fn empty_and_unsendable_passwords_are_refused_without_being_repeated() {
        let error = of(&Secret::new("hush\0hush".into()), [7; 16]).expect_err("refused");
        assert!(!format!("{error} {error:?}").contains("hush"));
        assert!(of(&Secret::new(String::new()), [7; 16]).is_err());
    }
}
