//! Which organisation a client means.
//!
//! The TLS server name decides where it names one; otherwise what the operator allows: a start-up option, the user name, the
//! default organisation. Nothing here tells whether the organisation exists: that is answered like a wrong password.

use pintail_configstore::Snapshot;

use crate::config::{Config, OrgFallback};

/// The start-up setting that names an organisation.
pub const OPTION: &str = "pintail.org";

/// What a client said before authentication.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// The TLS server name, if any.
    pub server_name: Option<&'a str>,
    /// The value of [`OPTION`].
    pub option: Option<&'a str>,
    /// The user name of the start-up packet.
    pub user: &'a str,
}

/// Where a client is to be looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The organisation's slug; `None` for one that nobody named.
    pub org: Option<String>,
    /// The user's name inside it.
    pub user: String,
}

/// Finds the route.
pub fn route(config: &Config, snapshot: &Snapshot, said: Said<'_>) -> Route {
    let by_host = said.server_name.and_then(|name| by_server_name(config, snapshot, name));
    let (by_user, user) = match said.user.rsplit_once('@') {
        Some((user, org)) if config.org_fallbacks.allow(OrgFallback::User) && !user.is_empty() => (Some(org), user),
        _ => (None, said.user),
    };
    let by_option = said.option.filter(|_| config.org_fallbacks.allow(OrgFallback::Options));
    let mut named = by_host
        .as_deref()
        .into_iter()
        .chain(by_option)
        .chain(by_user)
        .map(str::to_owned);
    let org = match named.next() {
        // Two that differ are a client of nobody.
        Some(first) => named.all(|other| other == first).then_some(first),
        None => Some(config.default_org.clone()).filter(|org| !org.is_empty()),
    };
    Route {
        org,
        user: user.to_owned(),
    }
}

/// `None` for a name that is below no suffix and nobody's alias: an address, `localhost`.
fn by_server_name(config: &Config, snapshot: &Snapshot, name: &str) -> Option<String> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    below_suffix(config, &name).or_else(|| snapshot.org_by_host(&name).map(|org| org.slug.to_string()))
}

/// The organisation that a host name below one of the suffixes names. Such a name is nobody's to be given.
pub fn below_suffix(config: &Config, name: &str) -> Option<String> {
    config.host_suffixes.0.iter().find_map(|suffix| {
        let label = name.strip_suffix(suffix.as_str())?.strip_suffix('.')?;
        // A host name has no `_`, which slugs may have.
        Some(label.replace('-', "_"))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::Sources;

    fn config(pairs: &[(&str, &str)]) -> Config {
        let flags: BTreeMap<String, String> = pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        Config::resolve(&Sources::new(flags, BTreeMap::new(), "")).expect("valid")
    }

    fn org(config: &Config, said: Said<'_>) -> (Option<String>, String) {
        let route = route(config, &Snapshot::default(), said);
        (route.org, route.user)
    }

    const NOTHING: Said<'static> = Said {
        server_name: None,
        option: None,
        user: "ann",
    };

    #[test]
    fn the_server_name_tells_below_any_suffix() {
        let config = config(&[("host_suffixes", "db.example.com, Other.example")]);
        for (name, expected) in [
            ("acme.db.example.com", "acme"),
            ("ACME.other.example.", "acme"),
            ("big-corp.other.example", "big_corp"),
            ("a.b.other.example", "a.b"),
            ("localhost", "local"),
            ("db.example.com", "local"),
        ] {
            let said = Said {
                server_name: Some(name),
                ..NOTHING
            };
            assert_eq!(org(&config, said).0.as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn other_ways_count_only_where_allowed_and_never_against_the_server_name() {
        let strict = config(&[("host_suffixes", "db.example"), ("org_fallbacks", "")]);
        let said = Said {
            option: Some("other"),
            user: "ann@other",
            ..NOTHING
        };
        assert_eq!(org(&strict, said), (Some("local".into()), "ann@other".into()));
        let open = config(&[("host_suffixes", "db.example"), ("org_fallbacks", "options,user")]);
        assert_eq!(org(&open, said), (Some("other".into()), "ann".into()));
        let torn = Said {
            server_name: Some("acme.db.example"),
            ..said
        };
        assert_eq!(org(&open, torn).0, None);
    }

    #[test]
    fn without_a_default_nobody_is_meant() {
        let config = config(&[("default_org", "")]);
        assert_eq!(org(&config, NOTHING).0, None);
    }
}
