CREATE OR REPLACE VIEW __pintail.info.check_constraints AS
SELECT __pintail.pg._catalog() AS constraint_catalog, nspname AS constraint_schema, conname AS constraint_name, regexp_replace(definition, '^CHECK \((.*)\)$', '\1') AS check_clause FROM __pintail.pg._constraints WHERE contype = 'c'
