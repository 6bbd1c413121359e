//! Users' persistent secrets: the statements that make them again in a new instance.

use pintail_worker_api::Secret;

use crate::{Change, Error, OrgId, Store, UserId};

impl Store {
    /// Keeps a secret's statement, in place of one of that name. Audited by name only.
    pub async fn save_secret(
        &self,
        org: OrgId,
        user: UserId,
        name: &str,
        statement: &Secret<String>,
    ) -> Result<Change, Error> {
        let _ = (org, user, name, statement);
        Err(Error::conflict("not built yet"))
    }

    /// Forgets a secret; whether it was there.
    pub async fn drop_secret(&self, org: OrgId, user: UserId, name: &str) -> Result<bool, Error> {
        let _ = (org, user, name);
        Err(Error::conflict("not built yet"))
    }

    /// A user's secrets by name.
    pub async fn secrets(&self, user: UserId) -> Result<Vec<(String, Secret<String>)>, Error> {
        let _ = user;
        Err(Error::conflict("not built yet"))
    }
}
