//! Users.

use deadpool_postgres::Transaction;
use pintail_worker_api::Secret;
use serde_json::json;
use tokio_postgres::Row;

use crate::verifier::login_salt;
use crate::{Actor, CatalogName, Change, Error, OrgId, OrgSlug, Role, Standing, Store, UserName, UserSpec};
use crate::{audit, hashing, org, verifier};

impl Role {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Writer => "writer",
            Self::Reader => "reader",
        }
    }

    pub(crate) fn parse(word: &str) -> Result<Self, Error> {
        [Self::Owner, Self::Writer, Self::Reader]
            .into_iter()
            .find(|role| role.as_str() == word)
            .ok_or_else(|| Error::corrupt("a user's role"))
    }
}

/// A specification as it is kept.
struct Columns {
    disabled: bool,
    role: &'static str,
    schemas: Option<Vec<String>>,
    catalogs: Option<Vec<String>>,
    limits: serde_json::Value,
}

/// The installation's key from which users' salts come.
pub const SALT_KEY: &str = "scram-fake-salt";

impl Store {
    /// Makes a user, or changes one into what is asked for. The password that a user has already is no change.
    pub async fn put_user(
        &self,
        actor: &Actor,
        org: &OrgSlug,
        name: &UserName,
        spec: &UserSpec,
    ) -> Result<Change, Error> {
        check_schemas(spec)?;
        let key = self.installation_key(SALT_KEY).await?;
        let salt = login_salt(&key, org.as_str(), name.as_str());
        let change = {
            let mut client = self.client().await?;
            let tx = client.transaction().await?;
            let org_id = org::locked(&tx, org).await?;
            let (change, verifier) = put(&tx, org_id, name, spec, salt).await?;
            if change != Change::Unchanged {
                let detail = json!({
                    "standing": spec.standing, "role": spec.role, "schemas": spec.schemas, "catalogs": spec.catalogs,
                    "limits": spec.limits, "password": if verifier.is_some() { "set" } else { "kept" },
                });
                audit::record(&tx, actor, change.action("user"), &format!("{org}/{name}"), detail).await?;
            }
            tx.commit().await?;
            change
        };
        self.refresh().await?;
        Ok(change)
    }

    /// Removes a user with the user's stored secrets.
    pub async fn delete_user(&self, actor: &Actor, org: &OrgSlug, name: &UserName) -> Result<(), Error> {
        {
            let mut client = self.client().await?;
            let tx = client.transaction().await?;
            let org_id = org::locked(&tx, org).await?;
            let gone = tx
                .execute(
                    "DELETE FROM pintail.users WHERE org_id = $1 AND name = $2",
                    &[&org_id.0, &name.as_str()],
                )
                .await?;
            if gone == 0 {
                return Err(Error::missing(format!("the user {name} of {org}")));
            }
            audit::record(&tx, actor, "user.delete", &format!("{org}/{name}"), json!({})).await?;
            tx.commit().await?;
        }
        self.refresh().await
    }
}

fn check_schemas(spec: &UserSpec) -> Result<(), Error> {
    let good = |name: &String| (1..=63).contains(&name.len()) && !name.chars().any(char::is_control);
    if spec.schemas.iter().flatten().all(good) {
        Ok(())
    } else {
        Err(Error::invalid(
            "the list of schemas",
            "each name must have 1 to 63 bytes without control characters",
        ))
    }
}

/// What changed, and the new verifier if the password did.
async fn put(
    tx: &Transaction<'_>,
    org: OrgId,
    name: &UserName,
    spec: &UserSpec,
    salt: [u8; 16],
) -> Result<(Change, Option<Secret<String>>), Error> {
    let wanted = Columns::of(spec)?;
    let known = tx
        .query_opt(
            "SELECT user_id, verifier, disabled, role, schemas, catalogs, limits FROM pintail.users \
             WHERE org_id = $1 AND name = $2",
            &[&org.0, &name.as_str()],
        )
        .await?;
    let Some(row) = known else {
        let password = spec
            .password
            .as_ref()
            .ok_or_else(|| Error::invalid("the user", "a new one needs a password"))?;
        let password = password.clone();
        let verifier = hashing::aside(move || verifier::of(&password, salt)).await??;
        tx.execute(
            "INSERT INTO pintail.users (org_id, name, verifier, disabled, role, schemas, catalogs, limits) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            &[
                &org.0,
                &name.as_str(),
                verifier.expose(),
                &wanted.disabled,
                &wanted.role,
                &wanted.schemas,
                &wanted.catalogs,
                &wanted.limits,
            ],
        )
        .await?;
        return Ok((Change::Created, Some(verifier)));
    };
    let present = Secret::new(row.get::<_, String>(1));
    let fresh = match &spec.password {
        Some(password) => {
            let (present, password) = (present.clone(), password.clone());
            hashing::aside(move || verifier::unless_it_fits(&present, &password, salt)).await??
        }
        None => None,
    };
    if fresh.is_none() && wanted.equal(&row) {
        return Ok((Change::Unchanged, None));
    }
    tx.execute(
        "UPDATE pintail.users SET verifier = $2, disabled = $3, role = $4, schemas = $5, catalogs = $6, limits = $7 \
         WHERE user_id = $1",
        &[
            &row.get::<_, i64>(0),
            fresh.as_ref().unwrap_or(&present).expose(),
            &wanted.disabled,
            &wanted.role,
            &wanted.schemas,
            &wanted.catalogs,
            &wanted.limits,
        ],
    )
    .await?;
    Ok((Change::Updated, fresh))
}

impl Columns {
    fn of(spec: &UserSpec) -> Result<Self, Error> {
        let names = |names: &Vec<CatalogName>| names.iter().map(ToString::to_string).collect();
        Ok(Self {
            disabled: spec.standing == Standing::Disabled,
            role: spec.role.as_str(),
            schemas: spec.schemas.clone(),
            catalogs: spec.catalogs.as_ref().map(names),
            limits: serde_json::to_value(&spec.limits).map_err(|_| Error::corrupt("limits"))?,
        })
    }

    fn equal(&self, row: &Row) -> bool {
        row.get::<_, bool>(2) == self.disabled
            && row.get::<_, &str>(3) == self.role
            && row.get::<_, Option<Vec<String>>>(4) == self.schemas
            && row.get::<_, Option<Vec<String>>>(5) == self.catalogs
            && row.get::<_, serde_json::Value>(6) == self.limits
    }
}
