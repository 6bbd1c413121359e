CREATE OR REPLACE VIEW __pintail.pg.pg_roles AS
SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolconnlimit, '********' AS rolpassword, rolvaliduntil, rolbypassrls, NULL::VARCHAR[] AS rolconfig, oid FROM __pintail.pg.pg_authid
