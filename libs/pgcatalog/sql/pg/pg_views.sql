CREATE OR REPLACE VIEW __pintail.pg.pg_views AS
SELECT nspname AS schemaname, relname AS viewname, __pintail.pg._user() AS viewowner, __pintail.pg._view_definition(sql) AS definition FROM __pintail.pg._relations WHERE relkind = 'v'
