//! The role and the schema of a lake's metadata: the wall of credentials.

use crate::{CatalogId, Error, Store};

impl Store {
    /// Makes a lake's role and schema, or puts them right. Repeatable; nothing for kinds without metadata here.
    pub async fn make_role_and_schema(&self, id: CatalogId) -> Result<(), Error> {
        let _ = id;
        Err(Error::conflict("not built yet"))
    }

    /// Ends the role's sessions and removes role and schema with everything in it. Repeatable; [`Error::Conflict`] for a
    /// catalog that is not being deleted.
    pub async fn drop_role_and_schema(&self, id: CatalogId) -> Result<(), Error> {
        let _ = id;
        Err(Error::conflict("not built yet"))
    }
}
