CREATE OR REPLACE VIEW __pintail.info.constraint_column_usage AS
SELECT __pintail.pg._catalog() AS table_catalog, CASE WHEN contype = 'f' THEN ref_schema ELSE nspname END AS table_schema, CASE WHEN contype = 'f' THEN ref_table ELSE relname END AS table_name, u.name AS column_name, __pintail.pg._catalog() AS constraint_catalog, nspname AS constraint_schema, conname AS constraint_name
FROM __pintail.pg._constraints, LATERAL (SELECT unnest(CASE WHEN contype = 'f' THEN ref_columns ELSE columns END) AS name) u
