CREATE OR REPLACE VIEW __pintail.pg.pg_namespace AS
SELECT 11::BIGINT AS oid, 'pg_catalog' AS nspname, 10::BIGINT AS nspowner, NULL::VARCHAR[] AS nspacl
UNION ALL SELECT 13000, 'information_schema', 10, NULL
UNION ALL SELECT 99, 'pg_toast', 10, NULL
UNION ALL SELECT DISTINCT __pintail.pg._schema_oid(__pintail.pg._schema_name(database_name, schema_name)), __pintail.pg._schema_name(database_name, schema_name), 10, NULL::VARCHAR[]
FROM duckdb_schemas() WHERE __pintail.pg._is_user(database_name, schema_name)
