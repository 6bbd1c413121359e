//! An accepted combination of organisation, user and catalog, and whether it still stands.

use std::sync::Arc;

use pintail_configstore::{Catalog, CatalogKind, CatalogState, Org, Snapshot, Standing, User};
use pintail_transpiler::Storage;

/// What a session was let in with.
#[derive(Debug, Clone)]
pub struct Login {
    /// The organisation.
    pub org: Arc<Org>,
    /// Its user.
    pub user: Arc<User>,
    /// The catalog that the session starts in.
    pub catalog: Arc<Catalog>,
}

impl Login {
    /// The login, if all three exist, may be used and go together.
    pub fn find(snapshot: &Snapshot, org: &str, user: &str, catalog: &str) -> Option<Self> {
        let org = snapshot.org(org).filter(|org| org.standing == Standing::Active)?;
        let user = org.users.get(user).filter(|user| user.standing == Standing::Active)?;
        let catalog = org
            .catalogs
            .get(catalog)
            .filter(|catalog| catalog.state == CatalogState::Ready && may_use(user, catalog))?;
        Some(Self {
            org: Arc::clone(org),
            user: Arc::clone(user),
            catalog: Arc::clone(catalog),
        })
    }

    /// The login as it is now, if nothing was taken away since. Whatever of the user's rights changed counts: a session's
    /// plans were judged by the old ones.
    pub fn still_stands(&self, snapshot: &Snapshot) -> Option<Self> {
        let (org, user, catalog) = (
            self.org.slug.as_str(),
            self.user.name.as_str(),
            self.catalog.name.as_str(),
        );
        Self::find(snapshot, org, user, catalog).filter(|now| {
            now.org.id == self.org.id
                && now.catalog.id == self.catalog.id
                && now.user.id == self.user.id
                && now.user.verifier == self.user.verifier
                && now.user.role == self.user.role
                && now.user.schemas == self.user.schemas
                && now.user.catalogs == self.user.catalogs
                && self.org.locations.iter().all(|open| now.org.locations.contains(open))
        })
    }

    /// The catalogs that the user may have attached now, by name.
    pub fn reachable(&self, snapshot: &Snapshot) -> Vec<Arc<Catalog>> {
        let Some(org) = snapshot.org(self.org.slug.as_str()).filter(|org| org.id == self.org.id) else {
            return Vec::new();
        };
        org.catalogs
            .values()
            .filter(|catalog| catalog.state == CatalogState::Ready && may_use(&self.user, catalog))
            .cloned()
            .collect()
    }
}

/// What the tables of a catalog can do.
pub fn storage_of(catalog: &Catalog) -> Storage {
    match catalog.kind {
        CatalogKind::DuckLake { .. } => Storage::Lake,
        CatalogKind::Iceberg { .. } => Storage::Iceberg,
        CatalogKind::DuckDbFile { .. } | CatalogKind::Memory => Storage::Native,
    }
}

fn may_use(user: &User, catalog: &Catalog) -> bool {
    user.catalogs
        .as_ref()
        .is_none_or(|allowed| allowed.contains(&catalog.name))
}
