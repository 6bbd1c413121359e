CREATE OR REPLACE VIEW __pintail.info.key_column_usage AS
SELECT __pintail.pg._catalog() AS constraint_catalog, nspname AS constraint_schema, conname AS constraint_name, __pintail.pg._catalog() AS table_catalog, nspname AS table_schema, relname AS table_name, u.name AS column_name, u.n::INTEGER AS ordinal_position, CASE WHEN contype = 'f' THEN u.n END::INTEGER AS position_in_unique_constraint
FROM __pintail.pg._constraints, LATERAL (SELECT unnest(columns) AS name, unnest(range(1, len(columns) + 1)) AS n) u WHERE contype IN ('p', 'u', 'f')
