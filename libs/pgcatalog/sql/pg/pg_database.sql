CREATE OR REPLACE VIEW __pintail.pg.pg_database AS
SELECT CASE WHEN database_name = __pintail.pg._catalog() THEN 5 ELSE __pintail.pg._hash('database:' || database_name) END::BIGINT AS oid, database_name AS datname, 10::BIGINT AS datdba, 6::INTEGER AS encoding, 'c' AS datlocprovider, false AS datistemplate, true AS datallowconn, -1::INTEGER AS datconnlimit, 0::BIGINT AS datfrozenxid, 1::BIGINT AS datminmxid, 1663::BIGINT AS dattablespace,
       'C.UTF-8' AS datcollate, 'C.UTF-8' AS datctype, NULL::VARCHAR AS daticulocale, NULL::VARCHAR AS datcollversion, NULL::VARCHAR[] AS datacl
FROM duckdb_databases() WHERE NOT internal AND database_name NOT IN ('temp', 'memory') AND NOT starts_with(database_name, '__') OR database_name = __pintail.pg._catalog()
