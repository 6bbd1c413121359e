CREATE OR REPLACE VIEW __pintail.pg._columns AS
SELECT __pintail.pg._schema_name(database_name, schema_name) AS nspname, table_name AS relname, column_name AS attname, column_index AS attnum, data_type,
       __pintail.pg._type_oid(data_type) AS typoid, __pintail.pg._typmod(data_type) AS typmod, NOT is_nullable AS not_null,
       CASE WHEN column_default IS NULL OR column_default = 'NULL' THEN NULL ELSE column_default END AS default_text, comment, numeric_precision, numeric_scale,
       __pintail.pg._relation_oid(__pintail.pg._schema_name(database_name, schema_name), table_name) AS relid
FROM duckdb_columns() WHERE __pintail.pg._is_user(database_name, schema_name) AND NOT internal OR (database_name = '__pintail' AND NOT starts_with(table_name, '_'))
