//! What the transpiler may know of a session.

use std::borrow::Cow;

use pintail_transpiler::{Context, Storage};

use super::machine::Machine;
use super::settings::Settings;
use super::transaction::Implicit;

impl Machine {
    /// Runs `use_it` with what the transpiler may know of this session.
    pub(super) fn with_context<T>(&self, param_oids: &[u32], use_it: impl FnOnce(&Context<'_>) -> T) -> T {
        let search_path = self.search_path();
        let setting = |name: &str| self.settings.get(name);
        let (mut catalogs, mut storages) = (
            Cow::Borrowed(self.identity.attached.as_slice()),
            Cow::Borrowed(self.identity.reachable.as_slice()),
        );
        // Few sessions attach databases of their own, and this is done for every statement.
        if !self.own_databases.is_empty() {
            catalogs.to_mut().extend_from_slice(&self.own_databases);
            let own = self.own_databases.iter().map(|name| (name.clone(), Storage::Native));
            storages.to_mut().splice(..0, own);
        }
        use_it(&Context {
            catalog: &self.identity.catalog,
            storage: self.identity.storage,
            user: &self.identity.user,
            session_user: &self.identity.user,
            search_path: &search_path,
            temporary: &self.temporary,
            in_transaction: self.transaction.is_open() || self.transaction.implicit == Implicit::Open,
            param_oids,
            setting: &setting,
            backend_pid: self.identity.backend_pid,
            client_address: self.identity.client_address.as_deref(),
            access: pintail_transpiler::Access {
                role: self.identity.access.role,
                schemas: self.identity.access.schemas.as_deref(),
            },
            catalogs: &catalogs,
            own_databases: &self.own_databases,
            storages: &storages,
        })
    }

    /// The entries of `search_path`, unquoted.
    pub(super) fn search_path(&self) -> Vec<String> {
        let value = self.settings.get("search_path").unwrap_or_default();
        Settings::entries(&value)
    }
}
