CREATE OR REPLACE VIEW __pintail.pg.pg_user AS
SELECT rolname AS usename, oid AS usesysid, rolcreatedb AS usecreatedb, rolsuper AS usesuper, rolreplication AS userepl, rolbypassrls AS usebypassrls, '********' AS passwd, rolvaliduntil AS valuntil, NULL::VARCHAR[] AS useconfig FROM __pintail.pg.pg_authid
