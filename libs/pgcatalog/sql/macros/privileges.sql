-- A session's user owns what it sees. Objects that are not there are errors, as PostgreSQL's are.
CREATE OR REPLACE MACRO __pintail.pg.has_table_privilege(t, p) AS true, (u, t, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_any_column_privilege(t, p) AS true, (u, t, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_column_privilege(t, c, p) AS true, (u, t, c, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_schema_privilege(s, p) AS true, (u, s, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_database_privilege(d, p) AS true, (u, d, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_function_privilege(f, p) AS true, (u, f, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_sequence_privilege(s, p) AS true, (u, s, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_type_privilege(s, p) AS true, (u, s, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_language_privilege(s, p) AS true, (u, s, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.has_tablespace_privilege(s, p) AS true, (u, s, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_has_role(r, p) AS true, (u, r, p) AS true;
CREATE OR REPLACE MACRO __pintail.pg.row_security_active(t) AS false;
CREATE OR REPLACE MACRO __pintail.pg.acldefault(k, o) AS NULL::VARCHAR[];
CREATE OR REPLACE MACRO __pintail.pg.aclexplode(a) AS NULL
