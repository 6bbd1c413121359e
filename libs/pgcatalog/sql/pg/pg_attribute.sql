CREATE OR REPLACE VIEW __pintail.pg.pg_attribute AS
SELECT relid AS attrelid, attname, typoid AS atttypid, -1::INTEGER AS attstattarget, CASE typoid WHEN 16 THEN 1 WHEN 21 THEN 2 WHEN 23 THEN 4 WHEN 20 THEN 8 WHEN 700 THEN 4 WHEN 701 THEN 8 WHEN 1082 THEN 4 WHEN 1083 THEN 8 WHEN 1114 THEN 8 WHEN 1184 THEN 8 WHEN 1186 THEN 16 WHEN 2950 THEN 16 ELSE -1 END::SMALLINT AS attlen,
       attnum::SMALLINT AS attnum, CASE WHEN ends_with(data_type, ']') THEN 1 ELSE 0 END::INTEGER AS attndims, -1::INTEGER AS attcacheoff, typmod AS atttypmod, typoid IN (16, 20, 21, 23, 700, 701, 1082, 1083, 1114, 1184) AS attbyval, 'i' AS attalign, CASE WHEN typoid IN (16, 20, 21, 23, 700, 701, 1082, 1083, 1114, 1184) THEN 'p' ELSE 'x' END AS attstorage, '' AS attcompression,
       not_null AS attnotnull, default_text IS NOT NULL AS atthasdef, false AS atthasmissing, '' AS attidentity, '' AS attgenerated, false AS attisdropped, true AS attislocal, 0::INTEGER AS attinhcount, CASE WHEN typoid IN (25, 1043, 1042, 19) THEN 100 ELSE 0 END::BIGINT AS attcollation,
       NULL::VARCHAR[] AS attacl, NULL::VARCHAR[] AS attoptions, NULL::VARCHAR[] AS attfdwoptions, NULL::VARCHAR[] AS attmissingval
FROM __pintail.pg._columns
UNION ALL
SELECT __pintail.pg._hash('index:' || nspname || '.' || conname), u.name, 25, -1, -1, u.n::SMALLINT, 0, -1, -1, false, 'i', 'x', '', false, false, false, '', '', false, true, 0, 0, NULL, NULL, NULL, NULL
FROM __pintail.pg._constraints, LATERAL (SELECT unnest(columns) AS name, unnest(range(1, len(columns) + 1)) AS n) u WHERE contype IN ('p', 'u')
