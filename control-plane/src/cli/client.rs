//! Asking the API, over the network or in this process.

use std::path::Path;

use anyhow::Context as _;
use serde_json::Value;

use crate::admin::{LocalApi, Verb};

/// Who answers.
pub enum Asked {
    /// A server.
    Remote(Remote),
    /// The routes in this process.
    Local(LocalApi),
}

/// A server's API.
pub struct Remote {
    url: String,
    token: String,
    client: reqwest::Client,
}

impl Remote {
    pub(super) fn new(url: String, token: &str, ca: Option<&Path>) -> anyhow::Result<Self> {
        let mut builder = reqwest::Client::builder()
            .timeout(std::time::Duration::from_mins(5))
            .no_proxy();
        if let Some(path) = ca {
            let pem = std::fs::read(path).with_context(|| path.display().to_string())?;
            let certificates = reqwest::Certificate::from_pem_bundle(&pem).context("reading certificates")?;
            builder = builder.tls_certs_merge(certificates);
        }
        Ok(Self {
            url,
            token: token.to_owned(),
            client: builder.build()?,
        })
    }
}

impl Asked {
    /// The answer to a request below `/api/v1`; `Null` where it has no content. What went wrong is the problem's detail.
    pub(super) async fn ask(&self, verb: Verb, path: &str, body: Option<&Value>) -> anyhow::Result<Value> {
        let names = path.split(['/', '?']).skip(1);
        anyhow::ensure!(
            !names.clone().any(|name| matches!(name, "" | "." | "..")) || path == "/",
            "a name may not be empty, `.` or `..`"
        );
        let (status, bytes) = match self {
            Self::Remote(remote) => remote.ask(verb, path, body).await?,
            Self::Local(api) => {
                let content = body.map(serde_json::to_vec).transpose()?.unwrap_or_default();
                api.ask(verb, &format!("/api/v1{path}"), content).await?
            }
        };
        if bytes.is_empty() {
            anyhow::ensure!((200..300).contains(&status), "the server answered {status}");
            return Ok(Value::Null);
        }
        let value: Value = serde_json::from_slice(&bytes)
            .with_context(|| format!("the server answered {status} with what is no JSON"))?;
        if (200..300).contains(&status) {
            return Ok(value);
        }
        let detail = value.get("detail").and_then(Value::as_str).unwrap_or("no reason given");
        anyhow::bail!("{detail} ({status})")
    }

    /// Reads.
    pub(super) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.ask(Verb::Get, path, None).await
    }

    /// Reads a list to its end.
    pub(super) async fn list(&self, path: &str) -> anyhow::Result<Vec<Value>> {
        let separator = if path.contains('?') { '&' } else { '?' };
        let mut items = Vec::new();
        let mut page = format!("{path}{separator}limit=1000");
        loop {
            let answer = self.get(&page).await?;
            if let Some(found) = answer.get("items").and_then(Value::as_array) {
                items.extend(found.iter().cloned());
            }
            let Some(next) = answer.get("next").and_then(Value::as_str) else {
                return Ok(items);
            };
            page = format!("{path}{separator}limit=1000&after={}", escaped(next));
        }
    }
}

impl Remote {
    async fn ask(&self, verb: Verb, path: &str, body: Option<&Value>) -> anyhow::Result<(u16, Vec<u8>)> {
        let method = reqwest::Method::from_bytes(verb.name().as_bytes())?;
        let mut request = self
            .client
            .request(method, format!("{}/api/v1{path}", self.url))
            .bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.with_context(|| format!("asking {}", self.url))?;
        Ok((answer.status().as_u16(), answer.bytes().await?.to_vec()))
    }
}

/// A name as a part of a path (RFC 3986, 2.1).
pub(super) fn escaped(name: &str) -> String {
    name.bytes().fold(String::new(), |text, byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => text + &char::from(byte).to_string(),
        _ => text + &format!("%{byte:02X}"),
    })
}
