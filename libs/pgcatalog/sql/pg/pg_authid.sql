CREATE OR REPLACE VIEW __pintail.pg.pg_authid AS
SELECT 10::BIGINT AS oid, __pintail.pg._user() AS rolname, false AS rolsuper, true AS rolinherit, false AS rolcreaterole, false AS rolcreatedb, true AS rolcanlogin, false AS rolreplication, false AS rolbypassrls, -1::INTEGER AS rolconnlimit, NULL::VARCHAR AS rolpassword, NULL::TIMESTAMPTZ AS rolvaliduntil
