CREATE OR REPLACE VIEW __pintail.info.table_privileges AS
SELECT __pintail.pg._user() AS grantor, __pintail.pg._user() AS grantee, __pintail.pg._catalog() AS table_catalog, nspname AS table_schema, relname AS table_name, p.privilege_type, 'NO' AS is_grantable, 'NO' AS with_hierarchy
FROM __pintail.pg._relations, (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE'), ('TRUNCATE')) p(privilege_type) WHERE nspname NOT IN ('pg_catalog', 'information_schema') AND __pintail.pg._may(p.privilege_type)
