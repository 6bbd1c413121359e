//! How each kind of value is written.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::KernelWall;

/// A value that a user writes as text.
pub trait FromText: Sized {
    /// What a value looks like, for the reference.
    const FORM: &'static str;

    /// Parses it; the error is a sentence for the user.
    fn from_text(text: &str) -> Result<Self, String>;
}

/// A path, or none.
#[derive(Debug, Clone)]
pub struct MaybePath(pub Option<PathBuf>);

/// A secret, or none; `Debug` is redacted.
#[derive(Debug, Clone)]
pub struct MaybeSecret(Option<Secret<String>>);

impl MaybeSecret {
    /// The plain value.
    pub fn expose(&self) -> Option<&str> {
        self.0.as_ref().map(|secret| secret.expose().as_str())
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSize(pub u64);

/// See [`KernelWall`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelWallMode(pub KernelWall);

/// Who may start a session without TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plaintext {
    /// Nobody.
    Never,
    /// Clients on this machine.
    Loopback,
    /// Everybody.
    Always,
}

impl Plaintext {
    /// Whether a client at this address may.
    pub fn allows(self, client: std::net::IpAddr) -> bool {
        match self {
            Self::Never => false,
            Self::Loopback => client.is_loopback(),
            Self::Always => true,
        }
    }
}

/// Names in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

/// A way to name an organisation other than by the server name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrgFallback {
    /// `options=-c pintail.org=…` in the start-up packet.
    Options,
    /// `user@organisation` as the user name.
    User,
}

impl OrgFallback {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Options => "options",
            Self::User => "user",
        }
    }
}

/// The ways that the operator allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrgFallbacks(pub Vec<OrgFallback>);

impl OrgFallbacks {
    /// Whether this way is allowed.
    pub fn allow(&self, way: OrgFallback) -> bool {
        self.0.contains(&way)
    }
}

/// Whether the admin port speaks TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdminTls {
    /// Unless it listens on a loopback address.
    Auto,
    /// It does.
    On,
    /// It does not.
    Off,
}

impl AdminTls {
    /// Whether a port at this address does.
    pub fn applies(self, address: std::net::IpAddr) -> bool {
        match self {
            Self::Auto => !address.is_loopback(),
            Self::On => true,
            Self::Off => false,
        }
    }
}

/// A switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnOff {
    /// On.
    On,
    /// Off.
    Off,
}

/// How an object store's buckets are addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlStyleName {
    /// In the path.
    Path,
    /// In the host name.
    Vhost,
}

/// The shape of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl FromText for MaybePath {
    const FORM: &'static str = "path";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self((!text.is_empty()).then(|| PathBuf::from(text))))
    }
}

impl FromText for MaybeSecret {
    const FORM: &'static str = "secret";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self((!text.is_empty()).then(|| Secret::new(text.to_owned()))))
    }
}

impl FromText for String {
    const FORM: &'static str = "text";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

impl FromText for Names {
    const FORM: &'static str = "names";

    fn from_text(text: &str) -> Result<Self, String> {
        let names = words(text).map(|name| name.trim_matches('.').to_ascii_lowercase());
        Ok(Self(names.filter(|name| !name.is_empty()).collect()))
    }
}

impl FromText for OrgFallbacks {
    const FORM: &'static str = "`options`, `user`";

    fn from_text(text: &str) -> Result<Self, String> {
        words(text)
            .map(|word| match word {
                "options" => Ok(OrgFallback::Options),
                "user" => Ok(OrgFallback::User),
                _ => Err(format!("`{word}` is none of options, user")),
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl FromText for AdminTls {
    const FORM: &'static str = "`auto`, `on` or `off`";

    fn from_text(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            _ => Err(format!("`{text}` is none of auto, on, off")),
        }
    }
}

impl FromText for OnOff {
    const FORM: &'static str = "`on` or `off`";

    fn from_text(text: &str) -> Result<Self, String> {
        match text {
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            _ => Err(format!("`{text}` is neither on nor off")),
        }
    }
}

impl FromText for UrlStyleName {
    const FORM: &'static str = "`path` or `vhost`";

    fn from_text(text: &str) -> Result<Self, String> {
        match text {
            "path" => Ok(Self::Path),
            "vhost" => Ok(Self::Vhost),
            _ => Err(format!("`{text}` is neither path nor vhost")),
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty())
}

impl FromText for SocketAddr {
    const FORM: &'static str = "`address:port`";

    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|_| format!("`{text}` is not an address and a port such as 127.0.0.1:5432 or [::]:5432"))
    }
}

impl FromText for Plaintext {
    const FORM: &'static str = "`never`, `loopback` or `always`";

    fn from_text(text: &str) -> Result<Self, String> {
        match text {
            "never" => Ok(Self::Never),
            "loopback" => Ok(Self::Loopback),
            "always" => Ok(Self::Always),
            _ => Err(format!("`{text}` is none of never, loopback, always")),
        }
    }
}

impl FromText for usize {
    const FORM: &'static str = "number";

    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|_| format!("`{text}` is not a whole number of 0 or more"))
    }
}

impl FromText for u32 {
    const FORM: &'static str = "number";

    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|_| format!("`{text}` is not a whole number of 0 or more"))
    }
}

impl FromText for Duration {
    const FORM: &'static str = "duration, as `30s` or `5m`";

    fn from_text(text: &str) -> Result<Self, String> {
        humantime::parse_duration(text).map_err(|_| format!("`{text}` is not a duration such as 500ms, 30s or 5m"))
    }
}

impl FromText for ByteSize {
    const FORM: &'static str = "size, as `64MiB` or `2GiB`";

    fn from_text(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "kib" => 10,
            "mib" => 20,
            "gib" => 30,
            "tib" => 40,
            _ => return Err(format!("`{text}` is not a size such as 64MiB or 2GiB")),
        };
        digits
            .trim()
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(1 << shift))
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not a size such as 64MiB or 2GiB"))
    }
}

impl FromText for KernelWallMode {
    const FORM: &'static str = "`auto`, `require` or `off`";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self(match text {
            "auto" => KernelWall::Auto,
            "require" => KernelWall::Require,
            "off" => KernelWall::Off,
            _ => return Err(format!("`{text}` is none of auto, require, off")),
        }))
    }
}

impl FromText for LogFormat {
    const FORM: &'static str = "`text` or `json`";

    fn from_text(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(format!("`{text}` is neither text nor json")),
        }
    }
}
