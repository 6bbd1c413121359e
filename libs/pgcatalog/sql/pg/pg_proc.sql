-- The user's own macros.
CREATE OR REPLACE VIEW __pintail.pg.pg_proc AS
SELECT __pintail.pg._hash('function:' || schema_name || '.' || function_name || '/' || len(parameters)) AS oid, function_name AS proname, __pintail.pg._schema_oid(__pintail.pg._public(schema_name)) AS pronamespace, 10::BIGINT AS proowner, 14::BIGINT AS prolang, 100::FLOAT AS procost, 0::FLOAT AS prorows, 0::BIGINT AS provariadic, '-' AS prosupport,
       'f' AS prokind, false AS prosecdef, false AS proleakproof, false AS proisstrict, function_type = 'table_macro' AS proretset, 'v' AS provolatile, 'u' AS proparallel, len(parameters)::SMALLINT AS pronargs, 0::SMALLINT AS pronargdefaults, 25::BIGINT AS prorettype, list_transform(parameters, lambda x: 25::BIGINT) AS proargtypes, NULL::BIGINT[] AS proallargtypes, NULL::VARCHAR[] AS proargmodes, parameters AS proargnames,
       NULL::VARCHAR AS proargdefaults, NULL::BIGINT[] AS protrftypes, macro_definition AS prosrc, NULL::VARCHAR AS probin, NULL::VARCHAR AS prosqlbody, NULL::VARCHAR[] AS proconfig, NULL::VARCHAR[] AS proacl
FROM duckdb_functions() WHERE database_name = __pintail.pg._catalog() AND function_type IN ('macro', 'table_macro') AND NOT internal
