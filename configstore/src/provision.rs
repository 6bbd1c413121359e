//! The installation's first organisation, as functions that take names only.

use std::sync::Arc;

use pintail_worker_api::Secret;
use pintail_worker_api::bootstrap::PostgresTarget;

use crate::{
    Actor, CatalogKind, CatalogName, CatalogSpec, CatalogState, Error, OrgSlug, OrgSpec, Standing, StorageKind, Store,
    UserName, UserSpec,
};

/// A catalog as it was found or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewCatalog {
    /// Its schema and role exist; its lake is still to be initialised.
    ToInitialise,
    /// It is ready.
    Ready,
}

/// What the store knows of an accepted combination of organisation, user and lake.
#[derive(Debug, Clone)]
pub struct Login {
    /// The organisation.
    pub org: OrgSlug,
    /// The user.
    pub user: UserName,
    /// The user's SCRAM verifier.
    pub verifier: Secret<String>,
    /// The catalog that the session starts in.
    pub catalog: CatalogName,
    /// Its metadata schema.
    pub metadata_schema: String,
    /// Its data prefix: `<slug>/<catalog>/` below the installation's data directory or bucket.
    pub data_prefix: String,
    /// Where its metadata is, with its own role.
    pub metadata: PostgresTarget,
}

impl Store {
    /// Makes an organisation unless it exists.
    pub async fn ensure_org(&self, org: &OrgSlug) -> Result<(), Error> {
        self.refresh().await?;
        if self.snapshot().org(org.as_str()).is_none() {
            self.put_org(&Actor::pintail(), org, &OrgSpec::default()).await?;
        }
        Ok(())
    }

    /// Makes a user with this password, or gives an existing one this password.
    pub async fn ensure_user(&self, org: &OrgSlug, user: &UserName, password: &Secret<String>) -> Result<(), Error> {
        self.refresh().await?;
        let snapshot = self.snapshot();
        let known = snapshot.org(org.as_str()).and_then(|org| org.users.get(user.as_str()));
        let mut spec = known.map_or_else(UserSpec::default, |known| UserSpec {
            password: None,
            standing: known.standing,
            role: known.role,
            schemas: known.schemas.clone(),
            catalogs: known.catalogs.clone(),
            limits: known.limits.clone(),
        });
        spec.password = Some(password.clone());
        self.put_user(&Actor::pintail(), org, user, &spec).await?;
        Ok(())
    }

    /// Whether a user exists.
    pub async fn has_user(&self, org: &OrgSlug, user: &UserName) -> Result<bool, Error> {
        self.refresh().await?;
        let snapshot = self.snapshot();
        let org = snapshot.org(org.as_str());
        Ok(org.is_some_and(|org| org.users.contains_key(user.as_str())))
    }

    /// Asks for a local lake and makes its metadata schema and role.
    pub async fn ensure_lake(&self, org: &OrgSlug, catalog: &CatalogName) -> Result<NewCatalog, Error> {
        let spec = CatalogSpec::DuckLake {
            storage: StorageKind::Local,
        };
        self.put_catalog(&Actor::pintail(), org, catalog, &spec).await?;
        let id = self.catalog_id(org, catalog).await?;
        let snapshot = self.snapshot();
        if let Some((_, known)) = snapshot.catalog(id)
            && known.state == CatalogState::Ready
        {
            return Ok(NewCatalog::Ready);
        }
        self.set_catalog_state(id, CatalogState::Provisioning, None).await?;
        self.make_role_and_schema(id).await?;
        Ok(NewCatalog::ToInitialise)
    }

    /// Marks a catalog.
    pub async fn mark_catalog(&self, org: &OrgSlug, catalog: &CatalogName, state: CatalogState) -> Result<(), Error> {
        let id = self.catalog_id(org, catalog).await?;
        self.set_catalog_state(id, state, None).await
    }

    /// What a login needs, if organisation, user and ready lake exist, none of them disabled.
    pub async fn login(&self, org: &str, user: &str, catalog: &str) -> Result<Option<Login>, Error> {
        self.refresh().await?;
        let snapshot = self.snapshot();
        let Some(org) = snapshot.org(org).filter(|org| org.standing == Standing::Active) else {
            return Ok(None);
        };
        let user = org.users.get(user).filter(|user| user.standing == Standing::Active);
        let catalog = org
            .catalogs
            .get(catalog)
            .filter(|catalog| catalog.state == CatalogState::Ready);
        let (Some(user), Some(catalog)) = (user, catalog) else {
            return Ok(None);
        };
        let catalog = Arc::clone(catalog);
        let CatalogKind::DuckLake {
            metadata_schema,
            data_prefix,
            role,
            role_password,
            ..
        } = &catalog.kind
        else {
            return Ok(None);
        };
        Ok(Some(Login {
            org: org.slug.clone(),
            user: user.name.clone(),
            verifier: user.verifier.clone(),
            catalog: catalog.name.clone(),
            metadata_schema: metadata_schema.clone(),
            data_prefix: data_prefix.clone(),
            metadata: PostgresTarget {
                user: role.clone(),
                password: role_password.clone(),
                ..self.target().clone()
            },
        }))
    }
}
