-- A session's user owns what it sees, but for a reader, who reads it. The arguments are names or OIDs; an OID comes from the catalogs, which show what is seen.
CREATE OR REPLACE MACRO __pintail.pg._schema_seen(s) AS __pintail.pg._schemas() IS NULL OR s::VARCHAR IN ('pg_catalog', 'information_schema', 'pg_toast', '11', '13000', '99') OR list_contains(__pintail.pg._schemas(), s::VARCHAR)
    OR list_contains(list_transform(__pintail.pg._schemas(), lambda x: __pintail.pg._schema_oid(x)::VARCHAR), s::VARCHAR);
CREATE OR REPLACE MACRO __pintail.pg._table_seen(t) AS __pintail.pg._schemas() IS NULL OR NOT contains(t::VARCHAR, '.') OR __pintail.pg._schema_seen((string_split(replace(t::VARCHAR, '"', ''), '.'))[-2]);
CREATE OR REPLACE MACRO __pintail.pg._table_privilege(t, p) AS __pintail.pg._may(p) AND __pintail.pg._table_seen(t);
CREATE OR REPLACE MACRO __pintail.pg._schema_privilege(s, p) AS __pintail.pg._schema_seen(s) AND (__pintail.pg._role() <> 'reader' OR contains(system.main.upper(p), 'USAGE'));
CREATE OR REPLACE MACRO __pintail.pg._database_privilege(p) AS __pintail.pg._role() = 'owner' AND __pintail.pg._schemas() IS NULL OR contains(system.main.upper(p), 'CONNECT');
CREATE OR REPLACE MACRO __pintail.pg.has_table_privilege(t, p) AS __pintail.pg._table_privilege(t, p), (u, t, p) AS __pintail.pg._table_privilege(t, p);
CREATE OR REPLACE MACRO __pintail.pg.has_any_column_privilege(t, p) AS __pintail.pg._table_privilege(t, p), (u, t, p) AS __pintail.pg._table_privilege(t, p);
CREATE OR REPLACE MACRO __pintail.pg.has_column_privilege(t, c, p) AS __pintail.pg._table_privilege(t, p), (u, t, c, p) AS __pintail.pg._table_privilege(t, p);
CREATE OR REPLACE MACRO __pintail.pg.has_schema_privilege(s, p) AS __pintail.pg._schema_privilege(s, p), (u, s, p) AS __pintail.pg._schema_privilege(s, p);
CREATE OR REPLACE MACRO __pintail.pg.has_database_privilege(d, p) AS __pintail.pg._database_privilege(p), (u, d, p) AS __pintail.pg._database_privilege(p);
CREATE OR REPLACE MACRO __pintail.pg.has_function_privilege(f, p) AS true, (u, f, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_sequence_privilege(s, p) AS __pintail.pg._database_privilege('CREATE'), (u, s, p) AS __pintail.pg._database_privilege('CREATE');
CREATE OR REPLACE MACRO __pintail.pg.has_type_privilege(s, p) AS true, (u, s, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_language_privilege(s, p) AS true, (u, s, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_tablespace_privilege(s, p) AS true, (u, s, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_has_role(r, p) AS true, (u, r, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.row_security_active(t) AS false;
CREATE OR REPLACE MACRO __pintail.pg.acldefault(k, o) AS NULL::VARCHAR[];
CREATE OR REPLACE MACRO __pintail.pg.aclexplode(a) AS NULL
