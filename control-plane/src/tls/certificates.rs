//! Certificates by server name, read again without a restart.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, NoServerSessionStorage, ResolvesServerCert};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};

use super::Error;
use super::validity::Validity;
use crate::wire::scram::Binding;

/// The name of the protocol inside TLS (manual, "SSL Session Encryption").
pub const ALPN: &[u8] = b"postgresql";

/// Where certificates are.
#[derive(Debug, Clone)]
pub struct Places {
    /// The one for clients whose server name fits no other: chain and key.
    pub default: (PathBuf, PathBuf),
    /// The operator's further ones: a directory of `<name>.crt` with `<name>.key`.
    pub directory: Option<PathBuf>,
    /// Such a directory of those that an ACME authority gave. The operator's come before them.
    pub acme: Option<PathBuf>,
}

/// The certificates in force. A reload that fails leaves them as they are.
pub struct Certificates {
    places: Places,
    provider: Arc<CryptoProvider>,
    current: RwLock<Loaded>,
}

/// A certificate as the `PostgreSQL` port shows it.
pub struct Shown {
    key: Arc<CertifiedKey>,
    /// TLS with this certificate and no other, so that what a client is bound to is what it saw.
    pub config: Arc<ServerConfig>,
    /// What a client's proof can be bound to.
    pub binding: Option<Binding>,
    validity: Option<Validity>,
    is_acme: bool,
}

struct Loaded {
    default: Arc<Shown>,
    /// By exact name, or by what follows `*.`.
    exact: HashMap<String, Arc<Shown>>,
    wildcard: HashMap<String, Arc<Shown>>,
    stamp: Vec<(PathBuf, Option<SystemTime>)>,
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificates")
            .field("places", &self.places)
            .finish_non_exhaustive()
    }
}

impl Certificates {
    /// Reads them all.
    pub fn load(places: Places, provider: Arc<CryptoProvider>) -> Result<Self, Error> {
        let current = RwLock::new(load(&places, &provider)?);
        Ok(Self {
            places,
            provider,
            current,
        })
    }

    /// Reads them again. Connections that are open keep theirs.
    pub fn reload(&self) -> Result<(), Error> {
        let loaded = load(&self.places, &self.provider)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    /// Whether a file came, went or changed since they were read.
    pub fn is_stale(&self) -> bool {
        let now = stamp(&self.places);
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        now != current.stamp
    }

    /// Whether an authority should be asked for a certificate for a host name: none of the operator's fits it, and the
    /// authority's own is missing or comes to its end.
    pub fn wants_renewal(&self, host: &str, now: SystemTime) -> bool {
        let shown = self.find(Some(host));
        let fits = names(&shown, Path::new("")).is_ok_and(|names| {
            let parent = host.split_once('.').map(|(_, parent)| parent);
            names
                .iter()
                .any(|name| name == host || name.strip_prefix("*.").is_some_and(|name| Some(name) == parent))
        });
        !fits
            || shown.is_acme
                && shown
                    .validity
                    .as_ref()
                    .is_none_or(|validity| validity.comes_to_its_end(now))
    }

    /// The certificate for a server name.
    pub fn find(&self, server_name: Option<&str>) -> Arc<Shown> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let found = server_name.and_then(|name| {
            let name = name.to_ascii_lowercase();
            let parent = name.split_once('.').map(|(_, parent)| parent);
            current
                .exact
                .get(&name)
                .or_else(|| current.wildcard.get(parent?))
                .cloned()
        });
        found.unwrap_or_else(|| Arc::clone(&current.default))
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.find(hello.server_name()).key))
    }
}

fn load(places: &Places, provider: &Arc<CryptoProvider>) -> Result<Loaded, Error> {
    let stamp = stamp(places);
    let mut loaded = Loaded {
        default: Arc::new(read(&places.default.0, &places.default.1, provider)?),
        exact: HashMap::new(),
        wildcard: HashMap::new(),
        stamp,
    };
    for (chain, key, is_acme) in pairs(places) {
        // One pair that cannot be used keeps no other out.
        let read = read(&chain, &key, provider).and_then(|mut certificate| {
            certificate.is_acme = is_acme;
            let names = names(&certificate, &chain)?;
            Ok((Arc::new(certificate), names))
        });
        let (certificate, names) = match read {
            Ok(found) => found,
            Err(error) => {
                tracing::error!(file = %chain.display(), error = %crate::chain(&error), "a certificate is passed over");
                continue;
            }
        };
        for name in names {
            match name.strip_prefix("*.") {
                Some(parent) => loaded.wildcard.insert(parent.to_owned(), Arc::clone(&certificate)),
                None => loaded.exact.insert(name, Arc::clone(&certificate)),
            };
        }
    }
    Ok(loaded)
}

/// Chain and key files of the directories, the stronger ones last, and whether an authority gave them.
fn pairs(places: &Places) -> Vec<(PathBuf, PathBuf, bool)> {
    let chains = |directory: &Option<PathBuf>| {
        let entries = directory
            .as_ref()
            .and_then(|directory| std::fs::read_dir(directory).ok());
        let mut chains: Vec<_> = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "crt"))
            .collect();
        chains.sort();
        chains
    };
    [(&places.acme, true), (&places.directory, false)]
        .into_iter()
        .flat_map(|(directory, is_acme)| chains(directory).into_iter().map(move |chain| (chain, is_acme)))
        .map(|(chain, is_acme)| (chain.clone(), chain.with_extension("key"), is_acme))
        .collect()
}

fn stamp(places: &Places) -> Vec<(PathBuf, Option<SystemTime>)> {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let (chain, key) = places.default.clone();
    [chain, key]
        .into_iter()
        .chain(pairs(places).into_iter().flat_map(|(chain, key, _)| [chain, key]))
        .map(|path| {
            let modified = modified(&path);
            (path, modified)
        })
        .collect()
}

fn read(chain: &Path, key: &Path, provider: &Arc<CryptoProvider>) -> Result<Shown, Error> {
    let pem = |path: &Path, reason: String| Error::Pem {
        path: path.to_owned(),
        reason,
    };
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(chain)
        .and_then(Iterator::collect)
        .map_err(|error| pem(chain, error.to_string()))?;
    if certificates.is_empty() {
        return Err(pem(chain, "it holds no certificate".into()));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| pem(key, error.to_string()))?;
    let certified = CertifiedKey::from_der(certificates, private, provider);
    let key = Arc::new(certified.map_err(|error| pem(chain, error.to_string()))?);
    let binding = Binding::of(key.end_entity_cert()?);
    let validity = Validity::of(key.end_entity_cert()?);
    let mut config = ServerConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(Arc::clone(&key))));
    config.alpn_protocols = vec![ALPN.to_vec()];
    // PostgreSQL resumes no session either; to keep them for clients that never come back costs memory.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Shown {
        key,
        config: Arc::new(config),
        binding,
        validity,
        is_acme: false,
    })
}

/// The names that a certificate is for (RFC 6125: its subject's alternative names).
fn names(certificate: &Shown, path: &Path) -> Result<Vec<String>, Error> {
    let pem = |reason: String| Error::Pem {
        path: path.to_owned(),
        reason,
    };
    let first = certificate.key.end_entity_cert()?;
    let parsed = webpki::EndEntityCert::try_from(first).map_err(|error| pem(error.to_string()))?;
    Ok(parsed.valid_dns_names().map(str::to_ascii_lowercase).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(directory: &Path, file: &str, names: &[&str]) {
        let made = rcgen::generate_simple_self_signed(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
            .expect("a certificate");
        std::fs::write(directory.join(format!("{file}.crt")), made.cert.pem()).expect("write");
        std::fs::write(directory.join(format!("{file}.key")), made.signing_key.serialize_pem()).expect("write");
    }

    fn first_name(certificates: &Certificates, name: Option<&str>) -> String {
        names(&certificates.find(name), Path::new("")).expect("names").remove(0)
    }

    #[test]
    fn exact_names_come_before_wildcards_and_changes_are_seen() {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path();
        let further = path.join("further");
        std::fs::create_dir(&further).expect("directory");
        write(path, "default", &["default.example"]);
        write(&further, "wild", &["*.db.example"]);
        write(&further, "acme", &["acme.db.example"]);
        let places = Places {
            default: (path.join("default.crt"), path.join("default.key")),
            directory: Some(further.clone()),
            acme: None,
        };
        let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
        let certificates = Certificates::load(places, provider).expect("load");
        assert_eq!(first_name(&certificates, Some("ACME.db.example")), "acme.db.example");
        assert_eq!(first_name(&certificates, Some("other.db.example")), "*.db.example");
        assert_eq!(first_name(&certificates, Some("x.other.db.example")), "default.example");
        assert_eq!(first_name(&certificates, None), "default.example");
        assert!(!certificates.is_stale());
        write(&further, "new", &["new.example"]);
        assert!(certificates.is_stale());
        certificates.reload().expect("reload");
        assert_eq!(first_name(&certificates, Some("new.example")), "new.example");
        std::fs::write(further.join("new.crt"), "no certificate").expect("write");
        write(&further, "newer", &["newer.example"]);
        certificates.reload().expect("one pair that is no certificate");
        assert_eq!(first_name(&certificates, Some("new.example")), "default.example");
        assert_eq!(first_name(&certificates, Some("newer.example")), "newer.example");
        std::fs::write(path.join("default.crt"), "no certificate").expect("write");
        assert!(certificates.reload().is_err());
        assert_eq!(first_name(&certificates, None), "default.example");
    }

    #[test]
    fn an_authority_is_asked_where_no_certificate_of_the_operator_fits() {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path();
        let (further, given) = (path.join("further"), path.join("acme"));
        write(path, "default", &["db.example"]);
        for directory in [&further, &given] {
            std::fs::create_dir(directory).expect("directory");
        }
        write(&further, "wild", &["*.db.example"]);
        write(&given, "given", &["given.example"]);
        write(&given, "old", &["old.example"]);
        let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
        let places = Places {
            default: (path.join("default.crt"), path.join("default.key")),
            directory: Some(further.clone()),
            acme: Some(given),
        };
        let certificates = Certificates::load(places, provider).expect("load");
        let now = SystemTime::now();
        let wants = |host| certificates.wants_renewal(host, now);
        assert!(!wants("acme.db.example") && !wants("db.example"));
        assert!(wants("a.acme.db.example") && wants("other.example"));
        assert!(!wants("given.example"));
        let late = now + std::time::Duration::from_hours(24 * 365 * 3000);
        assert!(certificates.wants_renewal("given.example", late));
        assert!(
            !certificates.wants_renewal("acme.db.example", late),
            "the operator's is the operator's"
        );
        write(&further, "own", &["given.example"]);
        certificates.reload().expect("reload");
        assert!(!certificates.wants_renewal("given.example", late));
    }
}
