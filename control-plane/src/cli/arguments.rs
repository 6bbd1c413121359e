//! Arguments that several commands share.

use std::path::PathBuf;

use anyhow::Context as _;
use base64::Engine as _;
use clap::Args;
use serde_json::{Map, Value, json};

use crate::config::{ByteSize, FromText};

/// Changes of limits.
#[derive(Debug, Clone, Default, Args)]
pub struct LimitArguments {
    /// A limit, as `name=value`: connections, workers, statements, queue, memory (`512MiB`), threads, `statement_timeout` (`30s`); without a value, the installation's again
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    limits: Vec<String>,
}

impl LimitArguments {
    /// Applies them to the limits of a body.
    pub(super) fn apply(&self, body: &mut Value) -> anyhow::Result<()> {
        for text in &self.limits {
            let (name, value) = text
                .split_once('=')
                .with_context(|| format!("--limit {text}: write it as NAME=VALUE"))?;
            let (name, value) = limit(name, value).with_context(|| format!("--limit {text}"))?;
            if !body["limits"].is_object() {
                body["limits"] = json!({});
            }
            match value {
                Some(value) => body["limits"][name] = json!(value),
                None => drop(body["limits"].as_object_mut().and_then(|limits| limits.remove(name))),
            }
        }
        Ok(())
    }
}

fn limit<'a>(name: &'a str, value: &str) -> anyhow::Result<(&'a str, Option<u64>)> {
    let name = match name {
        "connections" | "workers" | "statements" | "queue" | "memory" | "threads" => name,
        "statement_timeout" => "statement_timeout_ms",
        _ => anyhow::bail!("there is no limit {name:?}"),
    };
    if value.is_empty() {
        return Ok((name, None));
    }
    let number = match name {
        "memory" => ByteSize::from_text(value).map_err(anyhow::Error::msg)?.0,
        "statement_timeout_ms" => {
            let time = std::time::Duration::from_text(value).map_err(anyhow::Error::msg)?;
            u64::try_from(time.as_millis())?
        }
        _ => value.parse()?,
    };
    Ok((name, Some(number)))
}

/// A password by file, or a new one.
pub(super) fn password(file: Option<&PathBuf>) -> anyhow::Result<(String, Option<String>)> {
    if let Some(path) = file {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        return Ok((text.trim_end_matches(['\r', '\n']).to_owned(), None));
    }
    let bytes: [u8; 18] = rand::random();
    let made = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
    Ok((made.clone(), Some(made)))
}

/// What of an answer a request may hold.
pub(super) fn only(answer: &Value, names: &[&str]) -> Value {
    let members: Map<String, Value> = names
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), answer.get(*name)?.clone())))
        .collect();
    Value::Object(members)
}

/// The `psql` line for a user of an organisation.
pub(super) fn psql_line(status: &Value, org: &str, user: &str, catalog: &str) -> Option<String> {
    let server = status.get("server")?;
    let listen: std::net::SocketAddr = server.get("listen")?.as_str()?.parse().ok()?;
    let ip = if listen.ip().is_unspecified() {
        std::net::Ipv4Addr::LOCALHOST.into()
    } else {
        listen.ip()
    };
    let texts = |name: &str| -> Vec<String> {
        let list = server.get(name).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect()
    };
    let (suffixes, ways) = (texts("host_suffixes"), texts("org_fallbacks"));
    let is_default = server.get("default_org").and_then(Value::as_str) == Some(org);
    let (host, user, options) = if let Some(suffix) = suffixes.first() {
        let label = org.replace('_', "-");
        (format!("host={label}.{suffix} hostaddr={ip}"), user.to_owned(), "")
    } else if is_default {
        (format!("host={ip}"), user.to_owned(), "")
    } else if ways.iter().any(|way| way == "options") {
        (format!("host={ip}"), user.to_owned(), "-c pintail.org=")
    } else if ways.iter().any(|way| way == "user") {
        (format!("host={ip}"), format!("{user}@{org}"), "")
    } else {
        return None;
    };
    let options = if options.is_empty() {
        String::new()
    } else {
        format!(" options='{options}{org}'")
    };
    let (port, user) = (listen.port(), connection_value(&user));
    let connection = format!("{host} port={port} user={user} dbname={catalog} sslmode=require{options}");
    Some(format!("psql {}", shell_word(&connection)))
}

/// A value of a connection string (manual, "Keyword/Value Connection Strings").
fn connection_value(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// One word of a POSIX shell, in which nothing is expanded unless it is quoted in the readable way.
fn shell_word(text: &str) -> String {
    if text.contains(['"', '$', '`', '\\', '!']) {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_with_their_units_and_taken_back() {
        let arguments = LimitArguments {
            limits: ["memory=64MiB", "statement_timeout=2s", "workers=3", "queue="]
                .map(str::to_owned)
                .to_vec(),
        };
        let mut body = json!({"limits": {"queue": 1, "threads": 2}});
        arguments.apply(&mut body).expect("valid");
        assert_eq!(
            body,
            json!({"limits": {"memory": 67_108_864, "statement_timeout_ms": 2000, "workers": 3, "threads": 2}})
        );
        let wrong = LimitArguments {
            limits: vec!["elephants=3".to_owned()],
        };
        assert!(wrong.apply(&mut body).is_err());
    }

    #[test]
    fn nothing_in_a_users_name_is_run_by_the_shell() {
        let status = json!({"server": {"listen": "127.0.0.1:1", "default_org": "acme"}});
        let line = |user: &str| psql_line(&status, "acme", user, "lake").expect("a line");
        assert!(line("a b").contains("user='a b' dbname"), "{}", line("a b"));
        assert!(line("$(id)").starts_with("psql 'host="), "{}", line("$(id)"));
        assert!(
            line("it's").contains("user='it\\'\\''s'") || line("it's").starts_with("psql '"),
            "{}",
            line("it's")
        );
    }

    #[test]
    fn the_psql_line_names_the_organisation_as_the_operator_allows() {
        let status = |rest: Value| json!({"server": rest});
        let by_host = status(json!({"listen": "0.0.0.0:5432", "host_suffixes": ["db.example"]}));
        let line = psql_line(&by_host, "big_corp", "ann", "lake").expect("a line");
        assert!(
            line.contains("host=big-corp.db.example hostaddr=127.0.0.1 port=5432 user=ann dbname=lake"),
            "{line}"
        );
        let by_option = status(json!({"listen": "127.0.0.1:1", "org_fallbacks": ["options"]}));
        let line = psql_line(&by_option, "acme", "ann", "lake").expect("a line");
        assert!(line.contains("options='-c pintail.org=acme'"), "{line}");
        assert_eq!(
            psql_line(&status(json!({"listen": "127.0.0.1:1"})), "acme", "ann", "lake"),
            None
        );
    }
}
