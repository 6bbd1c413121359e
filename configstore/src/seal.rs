//! Sealing secrets at rest: AES-256-GCM, bound to a purpose.
//!
//! Sealed bytes are a version (1), the key's id (4: the first bytes of the key's SHA-256), a nonce (12), the ciphertext
//! and its tag (16). The purpose is authenticated with them, so that sealed bytes copied to another row do not open.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintail_worker_api::Secret;

const VERSION: u8 = 1;
const KEY_LENGTH: usize = 32;
const ID_LENGTH: usize = 4;
const HEADER: usize = 1 + ID_LENGTH + NONCE_LEN;

/// Why something cannot be sealed or opened. Never holds plain text or a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// No key was given.
    #[error("no sealing key is configured")]
    NoKey,
    /// A key's text is not 32 bytes in base64.
    #[error("sealing key {line} is not 32 bytes in base64")]
    Key {
        /// Which one, from 1.
        line: usize,
    },
    /// The bytes are not sealed bytes of this version.
    #[error("not sealed by a version that this program knows")]
    Form,
    /// Sealed with a key that is not configured.
    #[error("sealed with key {id}, which is not configured")]
    UnknownKey {
        /// The key's id in hexadecimal.
        id: String,
    },
    /// The key is there, and the bytes or the purpose are not those that were sealed.
    #[error("the sealed bytes do not belong here or were changed")]
    Tampered,
    /// The cipher refused to seal.
    #[error("the cipher cannot seal")]
    Cipher,
}

/// A key of 256 bits.
pub struct SealingKey {
    id: [u8; ID_LENGTH],
    bytes: Secret<[u8; KEY_LENGTH]>,
    cipher: RandomizedNonceKey,
}

impl SealingKey {
    /// A new one, from the operating system's randomness.
    pub fn fresh() -> Result<Self, SealError> {
        Self::from_bytes(rand::random())
    }

    /// Reads a key's text: 32 bytes in base64.
    pub fn parse(text: &str) -> Result<Self, SealError> {
        let bytes = STANDARD.decode(text.trim()).unwrap_or_default();
        let bytes = bytes.try_into().map_err(|_| SealError::Key { line: 1 })?;
        Self::from_bytes(bytes)
    }

    fn from_bytes(bytes: [u8; KEY_LENGTH]) -> Result<Self, SealError> {
        let mut id = [0; ID_LENGTH];
        id.copy_from_slice(&digest(&SHA256, &bytes).as_ref()[..ID_LENGTH]);
        let cipher = RandomizedNonceKey::new(&AES_256_GCM, &bytes).map_err(|_| SealError::Cipher)?;
        Ok(Self {
            id,
            bytes: Secret::new(bytes),
            cipher,
        })
    }

    /// The text that [`SealingKey::parse`] reads.
    pub fn text(&self) -> Secret<String> {
        Secret::new(STANDARD.encode(self.bytes.expose()))
    }

    /// The id in hexadecimal, fit for logs.
    pub fn id(&self) -> String {
        hex(&self.id)
    }
}

/// The keys of an installation: the first seals, all open.
pub struct Sealer {
    keys: Vec<SealingKey>,
}

impl Sealer {
    /// Takes at least one key.
    pub fn new(keys: Vec<SealingKey>) -> Result<Self, SealError> {
        if keys.is_empty() {
            return Err(SealError::NoKey);
        }
        Ok(Self { keys })
    }

    /// Reads keys, one a line; empty lines and those that begin with `#` do not count.
    pub fn parse(text: &str) -> Result<Self, SealError> {
        let lines = text.lines().enumerate().filter(|(_, line)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('#')
        });
        let keys = lines.map(|(number, line)| SealingKey::parse(line).map_err(|_| SealError::Key { line: number + 1 }));
        Self::new(keys.collect::<Result<_, _>>()?)
    }

    /// A sealer with a key that nobody else has: what it seals is lost with it.
    pub fn fresh() -> Result<Self, SealError> {
        Self::new(vec![SealingKey::fresh()?])
    }

    /// The id of the key that seals, in hexadecimal.
    pub fn key_id(&self) -> String {
        self.keys[0].id()
    }

    /// Seals `plain` for a purpose, such as `catalog:7:role_password`.
    pub fn seal(&self, purpose: &str, plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let key = &self.keys[0];
        let mut body = plain.to_vec();
        let nonce = key
            .cipher
            .seal_in_place_append_tag(Aad::from(purpose.as_bytes()), &mut body)
            .map_err(|_| SealError::Cipher)?;
        let mut sealed = Vec::with_capacity(HEADER + body.len());
        sealed.push(VERSION);
        sealed.extend_from_slice(&key.id);
        sealed.extend_from_slice(nonce.as_ref());
        sealed.extend_from_slice(&body);
        Ok(sealed)
    }

    /// Opens what was sealed for the same purpose.
    pub fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Secret<Vec<u8>>, SealError> {
        let (id, rest) = parts(sealed)?;
        let (nonce, body) = rest.split_at(NONCE_LEN);
        let mut known = self.keys.iter().filter(|key| key.id == id).peekable();
        if known.peek().is_none() {
            return Err(SealError::UnknownKey { id: hex(id) });
        }
        for key in known {
            let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| SealError::Form)?;
            let mut body = body.to_vec();
            if let Ok(plain) = key
                .cipher
                .open_in_place(nonce, Aad::from(purpose.as_bytes()), &mut body)
            {
                return Ok(Secret::new(plain.to_vec()));
            }
        }
        Err(SealError::Tampered)
    }

    /// Opens text.
    pub(crate) fn open_text(&self, purpose: &str, sealed: &[u8]) -> Result<Secret<String>, SealError> {
        let plain = self.open(purpose, sealed)?;
        let text = String::from_utf8(plain.expose().clone()).map_err(|_| SealError::Tampered)?;
        Ok(Secret::new(text))
    }

    /// Whether the key that seals now sealed this.
    pub(crate) fn is_current(&self, sealed: &[u8]) -> bool {
        parts(sealed).is_ok_and(|(id, _)| id == self.keys[0].id)
    }
}

/// The key's id, and nonce and body behind it.
fn parts(sealed: &[u8]) -> Result<(&[u8], &[u8]), SealError> {
    if sealed.len() < HEADER + AES_256_GCM.tag_len() || sealed[0] != VERSION {
        return Err(SealError::Form);
    }
    Ok(sealed[1..].split_at(ID_LENGTH))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PURPOSE: &str = "catalog:1:role_password";

    #[test]
    fn opens_only_with_the_key_and_the_purpose_of_the_sealing() {
        let keys = Sealer::fresh().expect("key");
        let sealed = keys.seal(PURPOSE, b"hush").expect("sealed");
        assert_eq!(keys.open(PURPOSE, &sealed).expect("opens").expose(), b"hush");
        assert!(!sealed.windows(4).any(|window| window == b"hush"));
        assert_eq!(keys.open("catalog:2:role_password", &sealed), Err(SealError::Tampered));
        let stranger = Sealer::fresh().expect("key");
        let id = keys.key_id();
        assert_eq!(stranger.open(PURPOSE, &sealed), Err(SealError::UnknownKey { id }));
    }

    #[test]
    fn sealing_twice_never_gives_the_same_bytes() {
        let keys = Sealer::fresh().expect("key");
        let sealed = || keys.seal(PURPOSE, b"hush").expect("sealed");
        assert_ne!(sealed(), sealed());
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        let keys = Sealer::fresh().expect("key");
        let sealed = keys.seal(PURPOSE, b"hush").expect("sealed");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(keys.open(PURPOSE, &changed).is_err(), "byte {at}");
            assert!(keys.open(PURPOSE, &sealed[..at]).is_err(), "length {at}");
        }
    }

    #[test]
    fn the_first_key_seals_and_all_open() {
        let (old, new) = (SealingKey::fresh().expect("key"), SealingKey::fresh().expect("key"));
        let both = format!("# new\n{}\n\n{}\n", new.text().expose(), old.text().expose());
        let before = Sealer::new(vec![old]).expect("sealer");
        let after = Sealer::parse(&both).expect("sealer");
        let sealed = before.seal(PURPOSE, b"hush").expect("sealed");
        assert_eq!(after.open(PURPOSE, &sealed).expect("opens").expose(), b"hush");
        assert!(!after.is_current(&sealed));
        assert_eq!(after.key_id(), new.id());
        assert!(after.is_current(&after.seal(PURPOSE, b"hush").expect("sealed")));
    }

    #[test]
    fn a_bad_key_is_named_by_its_line_only() {
        let text = format!("{}\nc2hvcnQ=\n", SealingKey::fresh().expect("key").text().expose());
        let error = Sealer::parse(&text).err().expect("refused");
        assert_eq!(error, SealError::Key { line: 2 });
        assert!(!format!("{error} {error:?}").contains("c2hvcnQ"));
        assert_eq!(Sealer::parse("\n# none\n").err(), Some(SealError::NoKey));
    }
}
