//! The session's settings: `SET`, `RESET`, `SHOW` with `PostgreSQL`'s scoping (manual, "SET").
//!
//! A value set in a transaction that rolls back is gone; a local one is gone with its transaction. Names are looked up
//! without case; `a.b` names that nobody defined are kept as they are.

use std::collections::HashMap;

use pintail_pgtypes::TimeZone;
use pintail_sqlstate::{Report, SqlState};

use super::parameters::PARAMETERS;
use super::unit;

/// One setting of `PostgreSQL`.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) scope: Scope,
    pub(super) default: &'static str,
    pub(super) description: &'static str,
}

/// What a value looks like.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Bool,
    Integer { unit: &'static str, min: i64, max: i64 },
    Real { min: f64, max: f64 },
    Enum(&'static [&'static str]),
    Text,
}

/// Who may change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// A session.
    Session,
    /// Nobody at run time.
    Fixed,
}

/// For how long a value holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetime {
    Session,
    Transaction,
}

/// Settings that are sent as `ParameterStatus`, at the start and whenever they change.
const REPORTED: &[&str] = &[
    "server_version",
    "server_encoding",
    "client_encoding",
    "application_name",
    "is_superuser",
    "session_authorization",
    "DateStyle",
    "IntervalStyle",
    "TimeZone",
    "integer_datetimes",
    "standard_conforming_strings",
    "in_hot_standby",
    "default_transaction_read_only",
    "search_path",
];

type Values = HashMap<String, String>;

/// The values in force.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// What RESET goes back to, where it differs from the built-in default.
    start: Values,
    session: Values,
    local: Values,
    /// The session's values at the start of the open transaction.
    saved: Option<Values>,
    /// What the client was last told.
    told: HashMap<&'static str, String>,
    /// Raised with every change; what was derived from the settings is as old as the number it was made at.
    generation: u64,
    told_generation: Option<u64>,
}

/// The values at a savepoint.
#[derive(Debug)]
pub(super) struct Mark {
    session: Values,
    local: Values,
}

impl Settings {
    /// Settings of a session whose user is fixed; `session_authorization` is one of them.
    pub(super) fn new(user: &str) -> Self {
        let mut settings = Self::default();
        settings.start.insert("session_authorization".into(), user.to_owned());
        settings.start.insert("is_superuser".into(), "off".to_owned());
        settings
    }

    /// Takes a value of the start-up packet: also what RESET goes back to.
    pub(super) fn start_with(&mut self, name: &str, value: &str) -> Result<(), Report> {
        let (key, value) = self.checked(name, &[value.to_owned()])?;
        self.generation += 1;
        self.start.insert(key, value);
        Ok(())
    }

    /// The value as SHOW prints it; `None` for a name that is no setting.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let key = name.to_ascii_lowercase();
        let set = [&self.local, &self.session, &self.start]
            .into_iter()
            .find_map(|values| values.get(&key));
        if let Some(value) = set {
            return Some(value.clone());
        }
        let parameter = find(&key)?;
        Some(match parameter.kind {
            Kind::Integer { unit, .. } => unit::show(parameter.default, unit),
            _ => parameter.default.to_owned(),
        })
    }

    /// Differs from its earlier value if anything was set since.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// The value of an integer setting in its own unit.
    pub(super) fn integer(&self, name: &str) -> i64 {
        let value = self.get(name).unwrap_or_default();
        match find(&name.to_ascii_lowercase()).map(|parameter| parameter.kind) {
            Some(Kind::Integer { unit, .. }) => unit::parse(&value, unit).unwrap_or(0),
            _ => value.parse().unwrap_or(0),
        }
    }

    /// The setting's own spelling, for SHOW's column.
    pub(super) fn display_name(name: &str) -> String {
        find(&name.to_ascii_lowercase())
            .map_or_else(|| name.to_ascii_lowercase(), |parameter| parameter.name.to_owned())
    }

    /// Every setting with value and description, by name.
    pub(super) fn all(&self) -> Vec<(&'static str, String, &'static str)> {
        PARAMETERS
            .iter()
            .map(|parameter| {
                (
                    parameter.name,
                    self.get(parameter.name).unwrap_or_default(),
                    parameter.description,
                )
            })
            .collect()
    }

    /// Sets a value.
    pub(super) fn set(&mut self, lifetime: Lifetime, name: &str, values: &[String]) -> Result<(), Report> {
        let (key, value) = self.checked(name, values)?;
        self.generation += 1;
        match lifetime {
            Lifetime::Session => {
                self.local.remove(&key);
                self.session.insert(key, value);
            }
            // Outside a transaction a local value has no time to live (a warning is the caller's).
            Lifetime::Transaction => {
                if self.saved.is_some() {
                    self.local.insert(key, value);
                }
            }
        }
        Ok(())
    }

    /// Whether [`Settings::set`] would take a value.
    pub(super) fn check(&self, name: &str, values: &[String]) -> Result<(), Report> {
        self.checked(name, values).map(drop)
    }

    /// The entries of a list such as `search_path`'s, unquoted.
    pub(super) fn entries(value: &str) -> Vec<String> {
        value
            .split(',')
            .map(|entry| entry.trim().trim_matches('"').to_owned())
            .filter(|entry| !entry.is_empty())
            .collect()
    }

    /// Goes back to the value of the session's start.
    pub(super) fn reset(&mut self, name: &str) -> Result<(), Report> {
        let key = name.to_ascii_lowercase();
        match find(&key) {
            Some(parameter) if parameter.scope == Scope::Fixed => Err(fixed(parameter.name)),
            None if !key.contains('.') => Err(unknown(name)),
            _ => {
                self.generation += 1;
                self.local.remove(&key);
                self.session.remove(&key);
                Ok(())
            }
        }
    }

    /// `RESET ALL`.
    pub(super) fn reset_all(&mut self) {
        self.generation += 1;
        self.local.clear();
        self.session.clear();
    }

    /// A transaction begins.
    pub(super) fn begin(&mut self) {
        // What ran before BEGIN in the same query is of the same transaction.
        if self.saved.is_none() {
            self.saved = Some(self.session.clone());
        }
    }

    /// Whether a transaction's changes can be undone.
    pub(super) fn may_undo(&self) -> bool {
        self.saved.is_some()
    }

    /// The transaction's changes stay, its local ones go.
    pub(super) fn commit(&mut self) {
        self.generation += 1;
        self.saved = None;
        self.local.clear();
    }

    /// The transaction's changes go.
    pub(super) fn roll_back(&mut self) {
        self.generation += 1;
        if let Some(saved) = self.saved.take() {
            self.session = saved;
        }
        self.local.clear();
    }

    /// The transaction failed: its changes are gone already, but for what AND CHAIN carries over.
    pub(super) fn fail(&mut self) {
        if let Some(saved) = &self.saved {
            self.generation += 1;
            self.session.clone_from(saved);
            self.local.retain(|name, _| name.starts_with("transaction_"));
        }
    }

    /// The values in force, to go back to.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            session: self.session.clone(),
            local: self.local.clone(),
        }
    }

    /// Goes back to a savepoint's values.
    pub(super) fn go_back(&mut self, mark: &Mark) {
        self.generation += 1;
        self.session.clone_from(&mark.session);
        self.local.clone_from(&mark.local);
    }

    /// What the client must be told since it was last told.
    pub(super) fn untold(&mut self) -> Vec<(&'static str, String)> {
        if self.told_generation == Some(self.generation) {
            return Vec::new();
        }
        self.told_generation = Some(self.generation);
        let mut news = Vec::new();
        for name in REPORTED {
            let value = self.get(name).unwrap_or_default();
            if self.told.get(name) != Some(&value) {
                self.told.insert(name, value.clone());
                news.push((*name, value));
            }
        }
        news
    }

    /// Key and canonical value, or why it is refused.
    fn checked(&self, name: &str, values: &[String]) -> Result<(String, String), Report> {
        let key = name.to_ascii_lowercase();
        let Some(parameter) = find(&key) else {
            if key.contains('.') {
                return Ok((key, values.join(", ")));
            }
            if ["session_authorization", "is_superuser"].contains(&key.as_str()) {
                return Err(fixed(&key));
            }
            return Err(unknown(name));
        };
        if parameter.scope == Scope::Fixed {
            return Err(fixed(parameter.name));
        }
        let value = self.canonical(parameter, values)?;
        Ok((key, value))
    }

    fn canonical(&self, parameter: &Parameter, values: &[String]) -> Result<String, Report> {
        let name = parameter.name;
        if name == "search_path" {
            return Ok(values.iter().map(|entry| quoted(entry)).collect::<Vec<_>>().join(", "));
        }
        let value = values.join(", ");
        match name {
            "DateStyle" => return self.date_style(&value),
            "TimeZone" => {
                let zone = TimeZone::parse(&value).map_err(|_| invalid(name, &value))?;
                return zone.iana_name().map(|_| zone.shown(&value)).ok_or_else(|| {
                    Report::new(
                        SqlState::FEATURE_NOT_SUPPORTED,
                        format!("time zone \"{value}\" is not supported"),
                    )
                    .with_detail("Offsets are of whole hours, from UTC-12 to UTC+14.")
                });
            }
            "client_encoding" => return encoding(&value),
            "transaction_isolation" | "default_transaction_isolation" => {}
            _ if values.len() > 1 => {
                return Err(Report::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("SET {name} takes only one argument"),
                ));
            }
            _ => {}
        }
        match parameter.kind {
            Kind::Text if name == "application_name" => Ok(printable(&value)),
            Kind::Text => Ok(value),
            Kind::Bool => boolean(&value).map(str::to_owned).ok_or_else(|| {
                Report::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("parameter \"{name}\" requires a Boolean value"),
                )
            }),
            Kind::Enum(words) => enumerated(words, &value)
                .ok_or_else(|| invalid(name, &value).with_hint(format!("Available values: {}.", words.join(", ")))),
            Kind::Real { min, max } => {
                let number: f64 = value.trim().parse().map_err(|_| invalid(name, &value))?;
                if min < max && !(min..=max).contains(&number) {
                    return Err(outside(name, &value, &min.to_string(), &max.to_string()));
                }
                Ok(number.to_string())
            }
            Kind::Integer { unit, min, max } => {
                let number = unit::parse(&value, unit).ok_or_else(|| invalid(name, &value))?;
                if !(min..=max).contains(&number) {
                    return Err(outside(name, &number.to_string(), &min.to_string(), &max.to_string()));
                }
                Ok(unit::show(&number.to_string(), unit))
            }
        }
    }

    /// The words given replace theirs; the other of style and order stays (manual, "Locale and Formatting").
    fn date_style(&self, value: &str) -> Result<String, Report> {
        let now = self.get("DateStyle").unwrap_or_default();
        let (mut style, mut order) = now
            .split_once(", ")
            .map_or(("ISO", "MDY"), |(style, order)| (style, order));
        for word in value.split(',').map(|word| word.trim().to_ascii_lowercase()) {
            match word.as_str() {
                "iso" => style = "ISO",
                "sql" => style = "SQL",
                "postgres" => style = "Postgres",
                "german" => (style, order) = ("German", "DMY"),
                "mdy" | "us" | "noneuro" | "noneuropean" => order = "MDY",
                "dmy" | "euro" | "european" => order = "DMY",
                "ymd" => order = "YMD",
                "default" => (style, order) = ("ISO", "MDY"),
                _ => return Err(invalid("DateStyle", value)),
            }
        }
        Ok(format!("{style}, {order}"))
    }
}

fn find(key: &str) -> Option<&'static Parameter> {
    let key = match key {
        "timezone" | "time zone" => "timezone",
        other => other,
    };
    PARAMETERS
        .binary_search_by(|parameter| parameter.name.to_ascii_lowercase().as_str().cmp(key))
        .ok()
        .map(|index| &PARAMETERS[index])
}

/// A name for logs and listings: printable ASCII, as long as a name may be, as `PostgreSQL`'s `pg_clean_ascii` makes it.
fn printable(value: &str) -> String {
    let cleaned = value.bytes().map(|byte| match byte {
        b' '..=b'~' => char::from(byte),
        _ => '?',
    });
    cleaned.take(63).collect()
}

fn quoted(entry: &str) -> String {
    let plain = !entry.is_empty()
        && !entry.starts_with(|c: char| c.is_ascii_digit())
        && entry
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if plain {
        entry.to_owned()
    } else {
        format!("\"{}\"", entry.replace('"', "\"\""))
    }
}

fn encoding(value: &str) -> Result<String, Report> {
    let bare: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
    match bare.to_ascii_lowercase().as_str() {
        "utf8" | "unicode" => Ok("UTF8".into()),
        "sqlascii" => Ok("SQL_ASCII".into()),
        _ => Err(invalid("client_encoding", value).with_detail("This server speaks UTF8.")),
    }
}

/// `PostgreSQL` takes any unique beginning of true, false, yes, no, on, off, and 1 and 0.
fn boolean(value: &str) -> Option<&'static str> {
    let value = value.trim().to_ascii_lowercase();
    let begins = |word: &str, shortest: usize| value.len() >= shortest && word.starts_with(&value);
    if begins("true", 1) || begins("yes", 1) || value == "on" || value == "1" {
        Some("on")
    } else if begins("false", 1) || begins("no", 1) || begins("off", 2) || value == "0" {
        Some("off")
    } else {
        None
    }
}

fn enumerated(words: &[&str], value: &str) -> Option<String> {
    let value = value.trim();
    if let Some(word) = words.iter().find(|word| word.eq_ignore_ascii_case(value)) {
        return Some((*word).to_owned());
    }
    // Switches such as `synchronous_commit` also take the spellings of a Boolean.
    boolean(value).filter(|word| words.contains(word)).map(str::to_owned)
}

fn unknown(name: &str) -> Report {
    Report::new(
        SqlState::UNDEFINED_OBJECT,
        format!("unrecognized configuration parameter \"{name}\""),
    )
}

fn fixed(name: &str) -> Report {
    Report::new(
        SqlState::CANT_CHANGE_RUNTIME_PARAM,
        format!("parameter \"{name}\" cannot be changed"),
    )
}

fn invalid(name: &str, value: &str) -> Report {
    Report::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("invalid value for parameter \"{name}\": \"{value}\""),
    )
}

fn outside(name: &str, value: &str, min: &str, max: &str) -> Report {
    Report::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("{value} is outside the valid range for parameter \"{name}\" ({min} .. {max})"),
    )
}

/// The error for SHOW and `current_setting` of a name that is no setting.
pub(super) fn not_a_setting(name: &str) -> Report {
    unknown(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(settings: &mut Settings, name: &str, value: &str) -> Result<(), Report> {
        settings.set(Lifetime::Session, name, &[value.to_owned()])
    }

    #[test]
    fn the_table_is_sorted_for_the_search() {
        assert!(
            PARAMETERS
                .windows(2)
                .all(|pair| pair[0].name.to_ascii_lowercase() < pair[1].name.to_ascii_lowercase())
        );
        let settings = Settings::new("u");
        for parameter in PARAMETERS {
            assert!(settings.get(parameter.name).is_some(), "{}", parameter.name);
        }
    }

    #[test]
    fn values_are_canonical() {
        let mut settings = Settings::new("u");
        for (name, value, shown) in [
            ("statement_timeout", "5000", "5s"),
            ("STATEMENT_TIMEOUT", "90s", "90s"),
            ("work_mem", "65536", "64MB"),
            ("enable_seqscan", "f", "off"),
            ("datestyle", "German", "German, DMY"),
            ("datestyle", "mdy", "German, MDY"),
            ("client_encoding", "utf-8", "UTF8"),
            ("timezone", "Europe/Berlin", "Europe/Berlin"),
            ("my.thing", "X y", "X y"),
            ("intervalstyle", "ISO_8601", "iso_8601"),
            ("synchronous_commit", "true", "on"),
        ] {
            set(&mut settings, name, value).expect(name);
            assert_eq!(settings.get(name).as_deref(), Some(shown), "{name}");
        }
        for (name, value, code) in [
            ("nonsense", "1", "42704"),
            ("server_version", "1", "55P02"),
            ("statement_timeout", "-5", "22023"),
            ("client_encoding", "LATIN1", "22023"),
            ("timezone", "Mars/Base", "22023"),
            ("enable_seqscan", "perhaps", "22023"),
        ] {
            assert_eq!(
                set(&mut settings, name, value).expect_err(name).sqlstate.as_str(),
                code,
                "{name}"
            );
        }
    }

    #[test]
    fn a_rolled_back_transaction_takes_its_values_along() {
        let mut settings = Settings::new("u");
        set(&mut settings, "work_mem", "8MB").expect("set");
        settings.begin();
        set(&mut settings, "work_mem", "16MB").expect("set");
        settings
            .set(Lifetime::Transaction, "timezone", &["Asia/Tokyo".into()])
            .expect("local");
        assert_eq!(settings.get("TimeZone").as_deref(), Some("Asia/Tokyo"));
        settings.roll_back();
        assert_eq!(settings.get("work_mem").as_deref(), Some("8MB"));
        assert_eq!(settings.get("TimeZone").as_deref(), Some("UTC"));
        settings.begin();
        set(&mut settings, "work_mem", "32MB").expect("set");
        settings.commit();
        assert_eq!(settings.get("work_mem").as_deref(), Some("32MB"));
    }

    #[test]
    fn only_changes_are_told() {
        let mut settings = Settings::new("u");
        assert_eq!(settings.untold().len(), REPORTED.len());
        assert!(settings.untold().is_empty());
        set(&mut settings, "application_name", "x").expect("set");
        assert_eq!(settings.untold(), vec![("application_name", "x".to_owned())]);
        settings.reset_all();
        assert_eq!(settings.untold(), vec![("application_name", String::new())]);
    }
}
