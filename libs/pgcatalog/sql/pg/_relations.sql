-- Every table and view that a session may see, its own and the system's.
CREATE OR REPLACE VIEW __pintail.pg._relations AS
SELECT database_name, __pintail.pg._schema_name(database_name, schema_name) AS nspname, table_name AS relname, 'r' AS relkind,
       CASE WHEN temporary THEN 't' ELSE 'p' END AS persistence, estimated_size AS tuples, column_count AS natts, comment, NULL::VARCHAR AS sql,
       __pintail.pg._relation_oid(__pintail.pg._schema_name(database_name, schema_name), table_name) AS oid
FROM duckdb_tables() WHERE __pintail.pg._is_user(database_name, schema_name) OR (database_name = '__pintail' AND NOT starts_with(table_name, '_'))
UNION ALL
SELECT database_name, __pintail.pg._schema_name(database_name, schema_name), view_name, 'v', CASE WHEN temporary THEN 't' ELSE 'p' END, -1, column_count, comment, sql,
       __pintail.pg._relation_oid(__pintail.pg._schema_name(database_name, schema_name), view_name)
FROM duckdb_views() WHERE (__pintail.pg._is_user(database_name, schema_name) AND NOT internal) OR (database_name = '__pintail' AND NOT starts_with(view_name, '_'))
