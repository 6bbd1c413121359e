CREATE OR REPLACE VIEW __pintail.pg.pg_class AS
SELECT r.oid, r.relname, __pintail.pg._schema_oid(r.nspname) AS relnamespace, 0::BIGINT AS reltype, 0::BIGINT AS reloftype, 10::BIGINT AS relowner,
       CASE WHEN r.relkind = 'r' THEN 2 ELSE 0 END::BIGINT AS relam, r.oid AS relfilenode, 0::BIGINT AS reltablespace, 0::INTEGER AS relpages,
       coalesce(r.tuples, -1)::FLOAT AS reltuples, 0::INTEGER AS relallvisible, 0::BIGINT AS reltoastrelid,
       coalesce(k.keys > 0, false) AS relhasindex, false AS relisshared, r.persistence AS relpersistence, r.relkind, coalesce(r.natts, 0)::SMALLINT AS relnatts,
       coalesce(k.checks, 0)::SMALLINT AS relchecks, r.relkind = 'v' AS relhasrules, coalesce(k.refs > 0, false) AS relhastriggers, false AS relhassubclass, false AS relrowsecurity, false AS relforcerowsecurity,
       true AS relispopulated, CASE WHEN r.relkind = 'r' THEN 'd' ELSE 'n' END AS relreplident, false AS relispartition, 0::BIGINT AS relrewrite, 0::BIGINT AS relfrozenxid, 0::BIGINT AS relminmxid,
       NULL::VARCHAR[] AS relacl, NULL::VARCHAR[] AS reloptions, NULL::VARCHAR AS relpartbound
FROM __pintail.pg._relations r LEFT JOIN (
    SELECT nspname, relname, count(*) FILTER (WHERE contype IN ('p', 'u')) AS keys, count(*) FILTER (WHERE contype = 'c') AS checks, count(*) FILTER (WHERE contype = 'f') AS refs
    FROM __pintail.pg._constraints GROUP BY nspname, relname) k ON k.nspname = r.nspname AND k.relname = r.relname
UNION ALL
SELECT __pintail.pg._hash('index:' || nspname || '.' || conname), conname, __pintail.pg._schema_oid(nspname), 0, 0, 10, 403, 0, 0, 0, 0, 0, 0, false, false, 'p', 'i', len(columns)::SMALLINT, 0, false, false, false, false, false, true, 'n', false, 0, 0, 0, NULL, NULL, NULL
FROM __pintail.pg._constraints WHERE contype IN ('p', 'u')
