//! A worker for the session, and the settings that act in its engine: `TimeZone` and `search_path`.

use pintail_pgtypes::TimeZone;
use pintail_transpiler::is_own_schema;

use super::engine::{After, Run, pintail_quote};
use super::machine::{Call, EngineSettings, Machine, Next, Op, Waiting};

impl Machine {
    /// Asks for a worker; `true` where there is one already. The caller queues itself again for afterwards.
    pub(super) fn has_worker(&mut self) -> bool {
        if self.engine.is_some() {
            return true;
        }
        let setup = self.with_context(&[], pintail_transpiler::session_setup);
        self.waiting = Some(Waiting::Acquire);
        self.call = Some(Next::Call(Call::Acquire { setup }));
        false
    }

    /// Settings that act in the engine, as they should be.
    pub(super) fn engine_settings(&self) -> EngineSettings {
        let catalog = pintail_quote(&self.identity.catalog);
        let mut path: Vec<String> = self
            .search_path()
            .iter()
            .filter(|schema| is_own_schema(schema))
            .filter(|schema| self.identity.sees_schema(schema))
            .map(|schema| {
                format!(
                    "{catalog}.{}",
                    pintail_quote(if schema == "public" { "main" } else { schema })
                )
            })
            .collect();
        path.push("__pintail.pg".into());
        EngineSettings {
            time_zone: self.engine_zone(),
            search_path: path.join(","),
        }
    }

    /// The engine knows the IANA names only, and takes POSIX signs for the other side of Greenwich.
    fn engine_zone(&self) -> String {
        let value = self.settings.get("TimeZone").unwrap_or_default();
        let zone = TimeZone::parse(&value).ok();
        zone.and_then(|zone| zone.iana_name()).unwrap_or_else(|| "UTC".into())
    }

    /// Settings of an instance that was told nothing yet.
    pub(super) fn instance_settings(&self) -> EngineSettings {
        EngineSettings {
            time_zone: "UTC".into(),
            search_path: format!("{}.\"main\",__pintail.pg", pintail_quote(&self.identity.catalog)),
        }
    }

    /// What brings the engine's settings to where they should be; `None` where they are there.
    pub(super) fn settings_op(&mut self) -> Option<Op> {
        let wanted = self.derived().engine.clone();
        let now = self.engine.as_ref()?;
        if *now == wanted {
            return None;
        }
        let literal = |text: &str| text.replace('\'', "''");
        let mut statements = Vec::new();
        if now.time_zone != wanted.time_zone {
            statements.push(format!("SET TimeZone = '{}'", literal(&wanted.time_zone)));
        }
        if now.search_path != wanted.search_path {
            statements.push(format!("SET search_path = '{}'", literal(&wanted.search_path)));
        }
        (!statements.is_empty()).then(|| Op::Run(Run::silent(statements.join("; "), After::EngineSettings(wanted))))
    }
}
