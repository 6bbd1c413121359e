//! An S3 store of the test's own on loopback, with an identity for each organisation that opens its prefix only.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::{S3Target, Tls, UrlStyle};

/// The one bucket.
pub(crate) const BUCKET: &str = "lake";

/// A store that did not start, for a port that was taken in between, is started again.
const ATTEMPTS: usize = 3;
const PATIENCE: Duration = Duration::from_secs(30);

/// A running store.
pub(crate) struct ObjectStore {
    child: Child,
    s3_port: u16,
    filer_port: u16,
    _directory: tempfile::TempDir,
}

impl ObjectStore {
    /// Starts one; `None`, with a printed reason, where this platform has no such program.
    pub(crate) fn start() -> Result<Option<Self>> {
        let program = crate::harness::cache_dir().join("bin/weed");
        if !program.is_file() {
            print("skipped: there is no S3 store for this platform (packaging/packages.txt)");
            return Ok(None);
        }
        for _ in 0..ATTEMPTS {
            let mut store = Self::spawn(&program)?;
            if store.wait()? {
                store.filer("POST", &format!("/buckets/{BUCKET}/"))?;
                return Ok(Some(store));
            }
        }
        bail!("the S3 store did not start")
    }

    fn spawn(program: &std::path::Path) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let identities = directory.path().join("identities.json");
        std::fs::write(&identities, identities_json())?;
        let ports = free_ports::<8>()?;
        let [master, master_grpc, volume, volume_grpc, filer, filer_grpc, s3, s3_grpc] = ports;
        let child = Command::new(program)
            .args(["server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3"])
            .arg(format!("-dir={}", directory.path().display()))
            .arg(format!("-s3.config={}", identities.display()))
            .args([
                format!("-master.port={master}"),
                format!("-master.port.grpc={master_grpc}"),
                format!("-volume.port={volume}"),
                format!("-volume.port.grpc={volume_grpc}"),
                format!("-filer.port={filer}"),
                format!("-filer.port.grpc={filer_grpc}"),
                format!("-s3.port={s3}"),
                format!("-s3.port.grpc={s3_grpc}"),
            ])
            .args([
                "-s3.port.iceberg=0",
                "-s3.port.lance=0",
                "-s3.iam=false",
                "-master.telemetry=false",
                "-master.volumeSizeLimitMB=64",
                "-volume.max=0",
            ])
            .env_clear()
            .env("HOME", directory.path())
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self {
            child,
            s3_port: s3,
            filer_port: filer,
            _directory: directory,
        })
    }

    /// Whether it answers in time.
    fn wait(&mut self) -> Result<bool> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if self.child.try_wait()?.is_some() {
                return Ok(false);
            }
            if http(self.s3_port, "GET", "/").is_ok() && self.filer("GET", "/").is_ok() {
                return Ok(true);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(false)
    }

    /// The store as an organisation reaches it, with its own keys.
    pub(crate) fn target(&self, org: &str) -> S3Target {
        S3Target {
            endpoint: format!("127.0.0.1:{}", self.s3_port),
            region: "us-east-1".into(),
            path_style: UrlStyle::Path,
            tls: Tls::Off,
            key_id: Secret::new(format!("{org}-key")),
            secret: Secret::new(format!("{org}-secret-value")),
        }
    }

    /// An organisation's prefix.
    pub(crate) fn prefix(org: &str) -> String {
        format!("s3://{BUCKET}/{org}/")
    }

    /// The names of all objects, below the bucket.
    pub(crate) fn objects(&self) -> Result<Vec<String>> {
        let root = format!("/buckets/{BUCKET}");
        let (mut found, mut pending) = (Vec::new(), vec![root.clone()]);
        while let Some(directory) = pending.pop() {
            // A name may hold what looks like an encoded character.
            let encoded = directory.replace('%', "%25");
            let body = self.filer("GET", &format!("{encoded}/?limit=10000"))?;
            let listing: serde_json::Value = serde_json::from_str(&body).context(body)?;
            for entry in listing["Entries"].as_array().into_iter().flatten() {
                let path = entry["FullPath"].as_str().unwrap_or_default().to_owned();
                // A directory's mode has Go's highest bit.
                if entry["Mode"].as_u64().unwrap_or_default() & (1 << 31) != 0 {
                    pending.push(path);
                } else {
                    found.push(path.trim_start_matches(&root).trim_start_matches('/').to_owned());
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn filer(&self, method: &str, path: &str) -> Result<String> {
        http(self.filer_port, method, path)
    }
}

impl Drop for ObjectStore {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn identities_json() -> String {
    let identity = |org: &str| {
        let actions = ["Read", "Write", "List"].map(|action| format!("{action}:{BUCKET}/{org}/*"));
        serde_json::json!({
            "name": org,
            "credentials": [{"accessKey": format!("{org}-key"), "secretKey": format!("{org}-secret-value")}],
            "actions": actions,
        })
    };
    serde_json::json!({ "identities": [identity("acme"), identity("beta")] }).to_string()
}

/// Ports that are free now, all different.
fn free_ports<const N: usize>() -> Result<[u16; N]> {
    let listeners = (0..N)
        .map(|_| TcpListener::bind("127.0.0.1:0"))
        .collect::<Result<Vec<_>, _>>()?;
    let ports = listeners
        .iter()
        .map(|listener| Ok(listener.local_addr()?.port()))
        .collect::<Result<Vec<_>>>()?;
    ports.try_into().ok().context("as many ports as asked for")
}

/// One request without a body; the answer's body.
fn http(port: u16, method: &str, path: &str) -> Result<String> {
    let mut socket = TcpStream::connect(("127.0.0.1", port))?;
    socket.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(
        socket,
        "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nContent-Length: 0\r\n\r\n"
    )?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer)?;
    let (_, body) = answer.split_once("\r\n\r\n").context("no answer")?;
    Ok(body.to_owned())
}

/// Says why a test is skipped.
#[expect(clippy::print_stderr, reason = "a skipped test says why")]
pub(crate) fn print(text: &str) {
    eprintln!("{text}");
}
