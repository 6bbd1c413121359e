-- The session's own values, what a login of some schemas sees, and names as PostgreSQL's: `main` is `public`, OIDs come from names and stay.
CREATE OR REPLACE MACRO __pintail.pg._catalog() AS coalesce(getvariable('pintail_catalog'), current_catalog());
CREATE OR REPLACE MACRO __pintail.pg._user() AS coalesce(getvariable('pintail_user'), 'postgres');
CREATE OR REPLACE MACRO __pintail.pg._session_user() AS coalesce(getvariable('pintail_session_user'), 'postgres');
CREATE OR REPLACE MACRO __pintail.pg._public(s) AS CASE WHEN s = 'main' THEN 'public' ELSE s END;
CREATE OR REPLACE MACRO __pintail.pg._hash(s) AS ((hash(s) % 2147400000) + 20000)::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg._schema_oid(s) AS CASE s WHEN 'pg_catalog' THEN 11 WHEN 'information_schema' THEN 13000 WHEN 'pg_toast' THEN 99 WHEN 'public' THEN 2200 WHEN 'main' THEN 2200 ELSE __pintail.pg._hash(s) END::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg._relation_oid(s, t) AS CASE WHEN s <> 'pg_catalog' THEN __pintail.pg._hash(__pintail.pg._public(s) || '.' || t) ELSE CASE t
    WHEN 'pg_class' THEN 1259 WHEN 'pg_type' THEN 1247 WHEN 'pg_attribute' THEN 1249 WHEN 'pg_proc' THEN 1255 WHEN 'pg_database' THEN 1262
    WHEN 'pg_namespace' THEN 2615 WHEN 'pg_constraint' THEN 2606 WHEN 'pg_attrdef' THEN 2604 WHEN 'pg_index' THEN 2610 WHEN 'pg_description' THEN 2609
    WHEN 'pg_authid' THEN 1260 WHEN 'pg_tablespace' THEN 1213 WHEN 'pg_operator' THEN 2617 WHEN 'pg_am' THEN 2601 WHEN 'pg_extension' THEN 3079
    WHEN 'pg_language' THEN 2612 WHEN 'pg_cast' THEN 2605 WHEN 'pg_rewrite' THEN 2618 WHEN 'pg_trigger' THEN 2620 WHEN 'pg_collation' THEN 3456
    ELSE __pintail.pg._hash('pg_catalog.' || t) END END::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg._role() AS coalesce(getvariable('pintail_role')::VARCHAR, 'owner');
CREATE OR REPLACE MACRO __pintail.pg._may(p) AS __pintail.pg._role() <> 'reader' OR contains(system.main.upper(p), 'SELECT');
CREATE OR REPLACE MACRO __pintail.pg._schemas() AS getvariable('pintail_schemas')::VARCHAR[];
CREATE OR REPLACE MACRO __pintail.pg._sees(s) AS __pintail.pg._schemas() IS NULL OR list_contains(__pintail.pg._schemas(), __pintail.pg._public(s));
CREATE OR REPLACE MACRO __pintail.pg._is_user(db, s) AS (db = __pintail.pg._catalog() AND __pintail.pg._sees(s) OR db = 'temp') AND s <> '__pintail' AND s NOT IN ('pg_catalog', 'information_schema');
CREATE OR REPLACE MACRO __pintail.pg._schema_name(db, s) AS CASE WHEN db = 'temp' THEN 'pg_temp_1' WHEN db = '__pintail' THEN CASE s WHEN 'pg' THEN 'pg_catalog' WHEN 'info' THEN 'information_schema' ELSE s END WHEN s = 'main' THEN 'public' ELSE s END
