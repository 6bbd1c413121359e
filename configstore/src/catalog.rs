//! Catalogs: asked for, changed, marked.

mod identity;

use deadpool_postgres::Transaction;
use serde_json::{Value, json};
use tokio_postgres::Row;

use self::identity::{Names, differs, names};
use crate::extent::Claims;
use crate::stored::{self, Stored};
use crate::{Actor, CatalogId, CatalogName, CatalogSpec, CatalogState, Change, Error, OrgId, OrgSlug, Store};
use crate::{audit, check, org};

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
        check::catalog(spec)?;
        let change = {
            let mut client = self.client().await?;
            let tx = client.transaction().await?;
            let org_id = org::locked(&tx, org).await?;
            let known = tx
                .query_opt(
                    "SELECT catalog_id, state, settings, sealed_credentials, data_prefix FROM pintail.catalogs \
                     WHERE org_id = $1 AND name = $2 FOR UPDATE",
                    &[&org_id.0, &name.as_str()],
                )
                .await?;
            let change = match known {
                None => {
                    let names = names(&tx, org, name, spec).await?;
                    let claims = Claims::load(&tx, None).await?;
                    claims.admit_catalog(org_id, spec, names.data_prefix.as_deref())?;
                    self.insert(&tx, org_id, name, (spec, names)).await?;
                    Change::Created
                }
                Some(row) => self.update(&tx, org_id, &row, spec).await?,
            };
            if change != Change::Unchanged {
                let detail = json!({ "settings": stored::settings(spec)? });
                audit::record(&tx, actor, change.action("catalog"), &format!("{org}/{name}"), detail).await?;
            }
            tx.commit().await?;
            change
        };
        self.refresh().await?;
        Ok(change)
    }

    /// Moves a catalog on; audited as the program's own doing. A catalog that is being deleted stays so
    /// ([`Error::Conflict`]), but its reason may be set.
    pub async fn set_catalog_state(
        &self,
        id: CatalogId,
        state: CatalogState,
        reason: Option<&str>,
    ) -> Result<(), Error> {
        self.mark(&Actor::pintail(), id, state, reason).await
    }

    /// Marks a catalog for removal; repeatable.
    pub async fn mark_deleting(&self, actor: &Actor, org: &OrgSlug, name: &CatalogName) -> Result<CatalogId, Error> {
        let id = self.catalog_id(org, name).await?;
        self.mark(actor, id, CatalogState::Deleting, None).await?;
        Ok(id)
    }

    pub(crate) async fn catalog_id(&self, org: &OrgSlug, name: &CatalogName) -> Result<CatalogId, Error> {
        let row = self
            .client()
            .await?
            .query_opt(
                "SELECT catalog_id FROM pintail.catalogs JOIN pintail.orgs USING (org_id) WHERE slug = $1 AND name = $2",
                &[&org.as_str(), &name.as_str()],
            )
            .await?;
        row.map(|row| CatalogId(row.get(0)))
            .ok_or_else(|| Error::missing(format!("the catalog {org}/{name}")))
    }

    async fn mark(&self, actor: &Actor, id: CatalogId, state: CatalogState, reason: Option<&str>) -> Result<(), Error> {
        {
            let mut client = self.client().await?;
            let tx = client.transaction().await?;
            let row = tx
                .query_opt(
                    "SELECT c.state, c.reason, o.slug || '/' || c.name FROM pintail.catalogs c \
                     JOIN pintail.orgs o USING (org_id) WHERE c.catalog_id = $1 FOR UPDATE OF c",
                    &[&id.0],
                )
                .await?
                .ok_or_else(|| Error::missing(format!("catalog {id}")))?;
            let (before, object) = (CatalogState::parse(row.get(0))?, row.get::<_, &str>(2));
            if before == CatalogState::Deleting && state != CatalogState::Deleting {
                return Err(Error::conflict(format!("the catalog {object} is being deleted")));
            }
            if before == state && row.get::<_, Option<&str>>(1) == reason {
                return Ok(());
            }
            tx.execute(
                "UPDATE pintail.catalogs SET state = $2, reason = $3 WHERE catalog_id = $1",
                &[&id.0, &state.as_str(), &reason],
            )
            .await?;
            let detail = json!({ "from": before, "to": state, "reason": reason });
            audit::record(&tx, actor, "catalog.state", object, detail).await?;
            tx.commit().await?;
        }
        self.refresh().await
    }

    async fn insert(
        &self,
        tx: &Transaction<'_>,
        org: OrgId,
        name: &CatalogName,
        (spec, names): (&CatalogSpec, Names),
    ) -> Result<(), Error> {
        let row = tx
            .query_one(
                "SELECT nextval(pg_get_serial_sequence('pintail.catalogs', 'catalog_id'))",
                &[],
            )
            .await?;
        let id = CatalogId(row.get(0));
        let Stored { settings, sealed } = stored::seal(&self.sealer, &id.credentials(), spec)?;
        let password = match names.metadata_schema {
            Some(_) => Some(self.seal_password(id, &random_password())?),
            None => None,
        };
        tx.execute(
            "INSERT INTO pintail.catalogs (catalog_id, org_id, name, metadata_schema, role_name, sealed_password, \
               data_prefix, incarnation, settings, sealed_credentials, state) \
             OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9, 'pending')",
            &[
                &id.0,
                &org.0,
                &name.as_str(),
                &names.metadata_schema,
                &password,
                &names.data_prefix,
                &names.incarnation,
                &settings,
                &sealed,
            ],
        )
        .await?;
        Ok(())
    }

    async fn update(&self, tx: &Transaction<'_>, org: OrgId, row: &Row, spec: &CatalogSpec) -> Result<Change, Error> {
        let (id, state) = (CatalogId(row.get(0)), CatalogState::parse(row.get(1))?);
        let (settings, sealed): (Value, Option<Vec<u8>>) = (row.get(2), row.get(3));
        if state == CatalogState::Deleting {
            return Err(Error::conflict("the catalog is being deleted"));
        }
        if let Some(what) = differs(&stored::blank(&settings)?, spec) {
            return Err(Error::conflict(format!("a catalog's {what} cannot be changed")));
        }
        // What cannot be opened any more is replaced.
        let present = stored::open(&self.sealer, &id.credentials(), &settings, sealed.as_deref()).ok();
        if present.as_ref() == Some(spec) && state != CatalogState::Failed {
            return Ok(Change::Unchanged);
        }
        let claims = Claims::load(tx, Some(id)).await?;
        claims.admit_catalog(org, spec, row.get(4))?;
        let fresh = stored::seal(&self.sealer, &id.credentials(), spec)?;
        tx.execute(
            "UPDATE pintail.catalogs SET settings = $2, sealed_credentials = $3, \
               state = CASE state WHEN 'failed' THEN 'pending' ELSE state END, reason = NULL WHERE catalog_id = $1",
            &[&id.0, &fresh.settings, &fresh.sealed],
        )
        .await?;
        Ok(Change::Updated)
    }

    pub(crate) fn seal_password(&self, id: CatalogId, password: &str) -> Result<Vec<u8>, Error> {
        self.sealer
            .seal(&id.role_password(), password.as_bytes())
            .map_err(Error::sealed(id.role_password()))
    }
}

impl CatalogId {
    /// The purpose that the role's password is sealed for.
    pub(crate) fn role_password(self) -> String {
        format!("catalog:{self}:role_password")
    }

    /// The purpose that the specification's secrets are sealed for.
    pub(crate) fn credentials(self) -> String {
        format!("catalog:{self}:credentials")
    }
}

impl CatalogState {
    pub(crate) fn parse(word: &str) -> Result<Self, Error> {
        [
            Self::Pending,
            Self::Provisioning,
            Self::Ready,
            Self::Failed,
            Self::Deleting,
        ]
        .into_iter()
        .find(|state| state.as_str() == word)
        .ok_or_else(|| Error::corrupt("a catalog's state"))
    }
}

/// 142 bits from the operating system, in characters that need no quoting anywhere.
pub(crate) fn random_password() -> String {
    use rand::RngExt as _;
    let mut source = rand::rng();
    (0..24)
        .map(|_| char::from(source.sample(rand::distr::Alphanumeric)))
        .collect()
}
