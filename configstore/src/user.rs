//! Users.

use crate::{Actor, Change, Error, OrgSlug, Store, UserName, UserSpec};

impl Store {
    /// Makes a user, or changes one into what is asked for. The password that a user has already is no change.
    pub async fn put_user(
        &self,
        actor: &Actor,
        org: &OrgSlug,
        name: &UserName,
        spec: &UserSpec,
    ) -> Result<Change, Error> {
        let _ = (actor, org, name, spec);
        Err(Error::conflict("not built yet"))
    }

    /// Removes a user with the user's stored secrets.
    pub async fn delete_user(&self, actor: &Actor, org: &OrgSlug, name: &UserName) -> Result<(), Error> {
        let _ = (actor, org, name);
        Err(Error::conflict("not built yet"))
    }
}
