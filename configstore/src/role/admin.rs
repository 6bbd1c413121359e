//! The store's own role, and its membership in a lake's role while it works on it.

use deadpool_postgres::Transaction;

use crate::Error;

/// The first version where a membership says whether it inherits (`server_version_num`).
const MEMBERSHIP_OPTIONS: i32 = 160_000;

/// The role that is logged in.
pub(super) struct Admin {
    pub(super) database: String,
    is_superuser: bool,
    version: i32,
}

/// Whether a membership brings the role's rights without SET ROLE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inherit {
    Yes,
    No,
}

impl Admin {
    pub(super) async fn load(tx: &Transaction<'_>) -> Result<Self, Error> {
        let row = tx
            .query_one(
                "SELECT current_database()::text, rolsuper, current_setting('server_version_num')::int \
                 FROM pg_roles WHERE rolname = current_user",
                &[],
            )
            .await?;
        Ok(Self {
            database: row.get(0),
            is_superuser: row.get(1),
            version: row.get(2),
        })
    }

    /// Becomes a member, which a superuser need not. Before version 16 every membership inherits.
    pub(super) async fn join(&self, tx: &Transaction<'_>, role: &str, inherit: Inherit) -> Result<(), Error> {
        if self.is_superuser {
            return Ok(());
        }
        let options = match (self.version >= MEMBERSHIP_OPTIONS, inherit) {
            (true, Inherit::Yes) => " WITH SET TRUE, INHERIT TRUE",
            (true, Inherit::No) => " WITH SET TRUE, INHERIT FALSE",
            (false, _) => "",
        };
        Ok(tx
            .batch_execute(&format!("GRANT {} TO CURRENT_USER{options}", quoted(role)))
            .await?)
    }

    /// Is no member any more. What version 16 grants to the maker of a role, to administer it, stays.
    pub(super) async fn leave(&self, tx: &Transaction<'_>, role: &str) -> Result<(), Error> {
        if self.is_superuser {
            return Ok(());
        }
        Ok(tx
            .batch_execute(&format!("REVOKE {} FROM CURRENT_USER", quoted(role)))
            .await?)
    }
}

/// An identifier for a statement that takes no parameters.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
