//! Organisations and their host names.

use crate::{Actor, Change, Error, OrgSlug, OrgSpec, Store};

impl Store {
    /// Makes an organisation, or changes it into what is asked for.
    pub async fn put_org(&self, actor: &Actor, slug: &OrgSlug, spec: &OrgSpec) -> Result<Change, Error> {
        let _ = (actor, slug, spec);
        Err(Error::conflict("not built yet"))
    }

    /// Removes an organisation with its users and host names. [`Error::Conflict`] while it has a catalog in any state.
    pub async fn delete_org(&self, actor: &Actor, slug: &OrgSlug) -> Result<(), Error> {
        let _ = (actor, slug);
        Err(Error::conflict("not built yet"))
    }

    /// Gives an organisation a host name. [`Error::Conflict`] if another one has it.
    pub async fn put_host(&self, actor: &Actor, slug: &OrgSlug, host: &str) -> Result<Change, Error> {
        let _ = (actor, slug, host);
        Err(Error::conflict("not built yet"))
    }

    /// Takes a host name away.
    pub async fn delete_host(&self, actor: &Actor, slug: &OrgSlug, host: &str) -> Result<(), Error> {
        let _ = (actor, slug, host);
        Err(Error::conflict("not built yet"))
    }
}
