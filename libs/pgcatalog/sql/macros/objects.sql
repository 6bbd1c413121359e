-- Names and OIDs of objects, both ways. Every object that a session sees is owned by its user.
CREATE OR REPLACE MACRO __pintail.pg._split(n) AS list_transform(string_split(replace(n, '"', ''), '.'), lambda x: x);
CREATE OR REPLACE MACRO __pintail.pg._find_class(n) AS (SELECT any_value(c.oid ORDER BY CASE c.nspname WHEN 'pg_temp_1' THEN 0 WHEN __pintail.pg.current_schema() THEN 1 WHEN 'public' THEN 2 WHEN 'pg_catalog' THEN 3 ELSE 4 END)
    FROM __pintail.pg._relations c WHERE c.relname = (__pintail.pg._split(n))[-1] AND (len(__pintail.pg._split(n)) = 1 AND c.nspname IN ('pg_temp_1', __pintail.pg.current_schema(), 'public', 'pg_catalog') OR len(__pintail.pg._split(n)) > 1 AND c.nspname = (__pintail.pg._split(n))[-2]));
CREATE OR REPLACE MACRO __pintail.pg._regclass(n) AS CASE WHEN regexp_full_match(n::VARCHAR, '[0-9]+') THEN TRY_CAST(n::VARCHAR AS BIGINT) ELSE coalesce(__pintail.pg._find_class(n::VARCHAR), error('PINTAIL:42P01:relation "' || n || '" does not exist')) END;
CREATE OR REPLACE MACRO __pintail.pg._regclass_name(o) AS CASE WHEN regexp_full_match(o::VARCHAR, '[0-9]+') THEN coalesce((SELECT any_value(CASE WHEN c.nspname IN (__pintail.pg.current_schema(), 'pg_catalog') THEN __pintail.pg.quote_ident(c.relname) ELSE __pintail.pg.quote_ident(c.nspname) || '.' || __pintail.pg.quote_ident(c.relname) END) FROM __pintail.pg._relations c WHERE c.oid = TRY_CAST(o::VARCHAR AS BIGINT)), CASE WHEN o::VARCHAR = '0' THEN '-' ELSE o::VARCHAR END) ELSE o::VARCHAR END;
CREATE OR REPLACE MACRO __pintail.pg.to_regclass(n) AS __pintail.pg._regclass_name(__pintail.pg._find_class(n));
CREATE OR REPLACE MACRO __pintail.pg._regtype(n) AS CASE WHEN regexp_full_match(n::VARCHAR, '[0-9]+') THEN TRY_CAST(n::VARCHAR AS BIGINT) ELSE coalesce((SELECT any_value(t.oid) FROM __pintail.pg.pg_type t WHERE t.typname = replace(replace(n::VARCHAR, 'pg_catalog.', ''), '"', '') OR __pintail.pg._type_name(t.oid) = replace(n::VARCHAR, 'pg_catalog.', '')), error('PINTAIL:42704:type "' || n || '" does not exist')) END;
CREATE OR REPLACE MACRO __pintail.pg._regtype_name(o) AS CASE WHEN regexp_full_match(o::VARCHAR, '[0-9]+') THEN coalesce(__pintail.pg._type_name(TRY_CAST(o::VARCHAR AS BIGINT)), o::VARCHAR) ELSE o::VARCHAR END;
CREATE OR REPLACE MACRO __pintail.pg._find_type(n) AS (SELECT any_value(t.oid) FROM __pintail.pg.pg_type t WHERE t.typname = n OR __pintail.pg._type_name(t.oid) = n);
CREATE OR REPLACE MACRO __pintail.pg.to_regtype(n) AS __pintail.pg._type_name(__pintail.pg._find_type(n));
CREATE OR REPLACE MACRO __pintail.pg._regproc(n) AS n::VARCHAR;
CREATE OR REPLACE MACRO __pintail.pg._regproc_name(n) AS n::VARCHAR;
CREATE OR REPLACE MACRO __pintail.pg.to_regproc(n) AS n::VARCHAR;
CREATE OR REPLACE MACRO __pintail.pg._regnamespace(n) AS CASE WHEN regexp_full_match(n::VARCHAR, '[0-9]+') THEN TRY_CAST(n::VARCHAR AS BIGINT) ELSE __pintail.pg._schema_oid(replace(n::VARCHAR, '"', '')) END;
CREATE OR REPLACE MACRO __pintail.pg._regnamespace_name(o) AS (SELECT any_value(nspname) FROM __pintail.pg.pg_namespace WHERE oid::VARCHAR = o::VARCHAR OR nspname = o::VARCHAR);
CREATE OR REPLACE MACRO __pintail.pg.to_regnamespace(n) AS (SELECT any_value(nspname) FROM __pintail.pg.pg_namespace WHERE nspname = n);
CREATE OR REPLACE MACRO __pintail.pg._regrole(n) AS 10::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg._regrole_name(o) AS __pintail.pg._user();
CREATE OR REPLACE MACRO __pintail.pg.pg_get_userbyid(o) AS CASE WHEN o = 10 THEN __pintail.pg._user() ELSE 'unknown (OID=' || o || ')' END;
CREATE OR REPLACE MACRO __pintail.pg._visible(o) AS EXISTS (SELECT 1 FROM __pintail.pg._relations r WHERE r.oid = o AND r.nspname IN (__pintail.pg.current_schema(), 'pg_temp_1', 'pg_catalog'));
CREATE OR REPLACE MACRO __pintail.pg.pg_table_is_visible(o) AS o IN (SELECT c.oid FROM __pintail.pg.pg_class c WHERE c.relnamespace IN (11, __pintail.pg._schema_oid(__pintail.pg.current_schema()), __pintail.pg._schema_oid('pg_temp_1')));
CREATE OR REPLACE MACRO __pintail.pg.pg_type_is_visible(o) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_function_is_visible(o) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_operator_is_visible(o) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_opclass_is_visible(o) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_collation_is_visible(o) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_conversion_is_visible(o) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_statistics_obj_is_visible(o) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_ts_config_is_visible(o) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_ts_dict_is_visible(o) AS true
