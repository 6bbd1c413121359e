CREATE OR REPLACE VIEW __pintail.pg.pg_attrdef AS
SELECT __pintail.pg._hash('default:' || relid || '.' || attnum) AS oid, relid AS adrelid, attnum::SMALLINT AS adnum, default_text AS adbin FROM __pintail.pg._columns WHERE default_text IS NOT NULL
