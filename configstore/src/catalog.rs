//! Catalogs: asked for, changed, marked.

use crate::{Actor, CatalogId, CatalogName, CatalogSpec, CatalogState, Change, Error, OrgSlug, Store};

impl Store {
    /// Asks for a catalog, or changes how an existing one is reached. A new one is `Pending`; a failed one is so again.
    ///
    /// [`Error::Conflict`] for a change of what the catalog is, while it is deleted, and where its files would lie inside
    /// another's.
    pub async fn put_catalog(
        &self,
        actor: &Actor,
        org: &OrgSlug,
        name: &CatalogName,
        spec: &CatalogSpec,
    ) -> Result<Change, Error> {
        let _ = (actor, org, name, spec);
        Err(Error::conflict("not built yet"))
    }

    /// Moves a catalog on; audited as the program's own doing. A catalog that is being deleted stays so
    /// ([`Error::Conflict`]), but its reason may be set.
    pub async fn set_catalog_state(
        &self,
        id: CatalogId,
        state: CatalogState,
        reason: Option<&str>,
    ) -> Result<(), Error> {
        let _ = (id, state, reason);
        Err(Error::conflict("not built yet"))
    }

    /// Marks a catalog for removal; repeatable.
    pub async fn mark_deleting(&self, actor: &Actor, org: &OrgSlug, name: &CatalogName) -> Result<CatalogId, Error> {
        let _ = (actor, org, name);
        Err(Error::conflict("not built yet"))
    }
}
