//! Organisations and their host names.

use deadpool_postgres::Transaction;
use serde_json::json;

use crate::extent::Claims;
use crate::{Actor, Change, Error, OrgId, OrgSlug, OrgSpec, Standing, Store, audit, check};

impl Store {
    /// Makes an organisation, or changes it into what is asked for.
    pub async fn put_org(&self, actor: &Actor, slug: &OrgSlug, spec: &OrgSpec) -> Result<Change, Error> {
        spec.locations.iter().try_for_each(|url| check::location(url))?;
        let change = {
            let mut client = self.client().await?;
            let tx = client.transaction().await?;
            let change = put(&tx, slug, spec).await?;
            if change != Change::Unchanged {
                let detail = json!({ "standing": spec.standing, "limits": spec.limits, "locations": spec.locations });
                audit::record(&tx, actor, change.action("org"), slug.as_str(), detail).await?;
            }
            tx.commit().await?;
            change
        };
        self.refresh().await?;
        Ok(change)
    }

    /// Removes an organisation with its users and host names. [`Error::Conflict`] while it has a catalog in any state.
    pub async fn delete_org(&self, actor: &Actor, slug: &OrgSlug) -> Result<(), Error> {
        {
            let mut client = self.client().await?;
            let tx = client.transaction().await?;
            let org = locked(&tx, slug).await?;
            let catalogs = tx
                .query_one("SELECT count(*) FROM pintail.catalogs WHERE org_id = $1", &[&org.0])
                .await?;
            let left: i64 = catalogs.get(0);
            if left > 0 {
                return Err(Error::conflict(format!(
                    "the organisation {slug} has {left} catalogs; they must be removed first"
                )));
            }
            for table in ["hosts", "users", "orgs"] {
                tx.execute(&format!("DELETE FROM pintail.{table} WHERE org_id = $1"), &[&org.0])
                    .await?;
            }
            audit::record(&tx, actor, "org.delete", slug.as_str(), json!({})).await?;
            tx.commit().await?;
        }
        self.refresh().await
    }

    /// Gives an organisation a host name. [`Error::Conflict`] if another one has it.
    pub async fn put_host(&self, actor: &Actor, slug: &OrgSlug, host: &str) -> Result<Change, Error> {
        let host = check::host(host)?;
        let change = {
            let mut client = self.client().await?;
            let tx = client.transaction().await?;
            let org = locked(&tx, slug).await?;
            let made = tx
                .execute(
                    "INSERT INTO pintail.hosts (host, org_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                    &[&host, &org.0],
                )
                .await?;
            let change = if made == 0 {
                let owner = tx
                    .query_opt("SELECT org_id FROM pintail.hosts WHERE host = $1", &[&host])
                    .await?;
                if owner.map(|row| row.get::<_, i64>(0)) != Some(org.0) {
                    return Err(Error::conflict(format!("the host name {host} is taken")));
                }
                Change::Unchanged
            } else {
                audit::record(&tx, actor, "host.create", slug.as_str(), json!({ "host": host })).await?;
                Change::Created
            };
            tx.commit().await?;
            change
        };
        self.refresh().await?;
        Ok(change)
    }

    /// Takes a host name away.
    pub async fn delete_host(&self, actor: &Actor, slug: &OrgSlug, host: &str) -> Result<(), Error> {
        let host = check::host(host)?;
        {
            let mut client = self.client().await?;
            let tx = client.transaction().await?;
            let org = locked(&tx, slug).await?;
            let gone = tx
                .execute(
                    "DELETE FROM pintail.hosts WHERE host = $1 AND org_id = $2",
                    &[&host, &org.0],
                )
                .await?;
            if gone == 0 {
                return Err(Error::missing(format!("the host name {host} of {slug}")));
            }
            audit::record(&tx, actor, "host.delete", slug.as_str(), json!({ "host": host })).await?;
            tx.commit().await?;
        }
        self.refresh().await
    }
}

impl Change {
    /// The audit's word for this change of a kind of thing.
    pub(crate) fn action(self, kind: &'static str) -> &'static str {
        match (kind, self) {
            ("org", Self::Created) => "org.create",
            ("org", _) => "org.update",
            ("user", Self::Created) => "user.create",
            ("user", _) => "user.update",
            ("catalog", Self::Created) => "catalog.create",
            _ => "catalog.update",
        }
    }
}

/// The organisation's number; its row stays locked until the transaction ends, so that changes within one organisation
/// follow one another.
pub(crate) async fn locked(tx: &Transaction<'_>, slug: &OrgSlug) -> Result<OrgId, Error> {
    let row = tx
        .query_opt(
            "SELECT org_id FROM pintail.orgs WHERE slug = $1 FOR UPDATE",
            &[&slug.as_str()],
        )
        .await?;
    row.map(|row| OrgId(row.get(0)))
        .ok_or_else(|| Error::missing(format!("the organisation {slug}")))
}

async fn put(tx: &Transaction<'_>, slug: &OrgSlug, spec: &OrgSpec) -> Result<Change, Error> {
    let disabled = spec.standing == Standing::Disabled;
    let limits = serde_json::to_value(&spec.limits).map_err(|_| Error::corrupt("limits"))?;
    let known = tx
        .query_opt(
            "SELECT org_id, disabled, limits, locations FROM pintail.orgs WHERE slug = $1 FOR UPDATE",
            &[&slug.as_str()],
        )
        .await?;
    let Some(row) = known else {
        let made = tx
            .query_opt(
                "INSERT INTO pintail.orgs (slug, disabled, limits, locations) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT DO NOTHING RETURNING org_id",
                &[&slug.as_str(), &disabled, &limits, &spec.locations],
            )
            .await?
            .ok_or_else(|| Error::conflict(format!("the organisation {slug} was made just now by somebody else")))?;
        admit(tx, OrgId(made.get(0)), spec).await?;
        return Ok(Change::Created);
    };
    let same = row.get::<_, bool>(1) == disabled
        && row.get::<_, serde_json::Value>(2) == limits
        && row.get::<_, Vec<String>>(3) == spec.locations;
    if same {
        return Ok(Change::Unchanged);
    }
    let org = OrgId(row.get(0));
    admit(tx, org, spec).await?;
    tx.execute(
        "UPDATE pintail.orgs SET disabled = $2, limits = $3, locations = $4 WHERE org_id = $1",
        &[&org.0, &disabled, &limits, &spec.locations],
    )
    .await?;
    Ok(Change::Updated)
}

async fn admit(tx: &Transaction<'_>, org: OrgId, spec: &OrgSpec) -> Result<(), Error> {
    if spec.locations.is_empty() {
        return Ok(());
    }
    Claims::load(tx, None).await?.admit_locations(org, &spec.locations)
}
