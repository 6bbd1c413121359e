CREATE OR REPLACE VIEW __pintail.info.schemata AS
SELECT __pintail.pg._catalog() AS catalog_name, nspname AS schema_name, __pintail.pg._user() AS schema_owner, NULL::VARCHAR AS default_character_set_catalog, NULL::VARCHAR AS default_character_set_schema, NULL::VARCHAR AS default_character_set_name, NULL::VARCHAR AS sql_path FROM __pintail.pg.pg_namespace
