CREATE OR REPLACE VIEW __pintail.pg.pg_indexes AS
SELECT nspname AS schemaname, relname AS tablename, conname AS indexname, NULL::VARCHAR AS tablespace, 'CREATE UNIQUE INDEX ' || conname || ' ON ' || nspname || '.' || relname || ' USING btree (' || array_to_string(columns, ', ') || ')' AS indexdef FROM __pintail.pg._constraints WHERE contype IN ('p', 'u')
