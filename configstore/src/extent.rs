//! Which part of an object store belongs to whom.
//!
//! A lake's files are its own: no other lake, no removed one that still has data, and no location of another organisation
//! may lie around them or inside. Locations may overlap each other, since sharing is what they are for. The bucket's
//! endpoint does not count: two names may lead to one store.

use deadpool_postgres::Transaction;

use crate::{CatalogId, CatalogSpec, Error, OrgId, StorageKind};

/// Taken for the rest of a transaction by whoever claims a part, so that two claims cannot miss each other.
const LOCK: i64 = 0x7069_6e74_6169_6c01;

/// Parts that others claim.
pub(crate) struct Claims {
    /// Organisation (none for a removed catalog's) and `bucket/prefix/`.
    lakes: Vec<(Option<OrgId>, String)>,
    locations: Vec<(OrgId, String)>,
}

impl Claims {
    /// Reads all claims but those of one catalog.
    pub(crate) async fn load(tx: &Transaction<'_>, but: Option<CatalogId>) -> Result<Self, Error> {
        tx.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
        let lakes = tx
            .query(
                "SELECT org_id, concat(settings #>> '{storage,bucket}', '/', settings #>> '{storage,prefix_root}', data_prefix) \
                 FROM pintail.catalogs WHERE kind = 'ducklake' AND settings #>> '{storage,at}' = 's3' \
                   AND catalog_id IS DISTINCT FROM $1 \
                 UNION ALL \
                 SELECT NULL, concat(settings #>> '{storage,bucket}', '/', settings #>> '{storage,prefix_root}', data_prefix) \
                 FROM pintail.tombstones WHERE settings ->> 'kind' = 'ducklake' AND settings #>> '{storage,at}' = 's3' \
                   AND purged_at IS NULL",
                &[&but.map(|id| id.0)],
            )
            .await?;
        let locations = tx
            .query(
                "SELECT org_id, unnest(locations) FROM pintail.orgs UNION ALL \
                 SELECT org_id, jsonb_array_elements_text(settings -> 'locations') FROM pintail.catalogs WHERE kind = 'iceberg'",
                &[],
            )
            .await?;
        Ok(Self {
            lakes: lakes
                .iter()
                .map(|row| (row.get::<_, Option<i64>>(0).map(OrgId), row.get(1)))
                .collect(),
            locations: locations.iter().map(|row| (OrgId(row.get(0)), row.get(1))).collect(),
        })
    }

    /// Refuses a specification of `org` whose files would meet another's.
    pub(crate) fn admit_catalog(&self, org: OrgId, spec: &CatalogSpec, data_prefix: Option<&str>) -> Result<(), Error> {
        match (spec, data_prefix) {
            (
                CatalogSpec::DuckLake {
                    storage: StorageKind::S3 {
                        bucket, prefix_root, ..
                    },
                },
                Some(data_prefix),
            ) => {
                let place = format!("{bucket}/{prefix_root}{data_prefix}");
                let foreign = self.locations.iter().filter(|(owner, _)| *owner != org);
                let met = self.lakes.iter().any(|(_, lake)| meet(&place, lake))
                    || foreign.into_iter().any(|(_, url)| meet(&place, without_scheme(url)));
                if met { Err(taken(&place)) } else { Ok(()) }
            }
            (CatalogSpec::Iceberg { locations, .. }, _) => self.admit_locations(org, locations),
            (CatalogSpec::DuckLake { .. } | CatalogSpec::DuckDbFile { .. } | CatalogSpec::Memory, _) => Ok(()),
        }
    }

    /// Refuses locations of `org` that would meet another organisation's lake.
    pub(crate) fn admit_locations(&self, org: OrgId, locations: &[String]) -> Result<(), Error> {
        let mut foreign = self.lakes.iter().filter(|(owner, _)| *owner != Some(org));
        match foreign.find_map(|(_, lake)| locations.iter().find(|url| meet(without_scheme(url), lake))) {
            Some(url) => Err(taken(url)),
            None => Ok(()),
        }
    }
}

fn taken(place: &str) -> Error {
    Error::conflict(format!("{place} lies inside or around the files of another catalog"))
}

fn without_scheme(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest)
}

fn meet(one: &str, other: &str) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
