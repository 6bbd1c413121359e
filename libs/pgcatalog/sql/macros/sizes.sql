CREATE OR REPLACE MACRO __pintail.pg.pg_relation_size(o) AS 0::BIGINT, (o, f) AS 0::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg.pg_table_size(o) AS 0::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg.pg_indexes_size(o) AS 0::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg.pg_total_relation_size(o) AS 0::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg.pg_database_size(d) AS 0::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg.pg_tablespace_size(d) AS 0::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg.pg_tablespace_location(o) AS '';
CREATE OR REPLACE MACRO __pintail.pg.pg_relation_filenode(o) AS NULL::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg.pg_size_pretty(n) AS CASE WHEN abs(n) < 10240 THEN n::BIGINT || ' bytes' WHEN abs(n) < 10485760 THEN system.main.round(n / 1024.0)::BIGINT || ' kB' WHEN abs(n) < 10737418240 THEN system.main.round(n / 1048576.0)::BIGINT || ' MB' WHEN abs(n) < 10995116277760 THEN system.main.round(n / 1073741824.0)::BIGINT || ' GB' ELSE system.main.round(n / 1099511627776.0)::BIGINT || ' TB' END;
CREATE OR REPLACE MACRO __pintail.pg.pg_relation_is_publishable(o) AS false;
CREATE OR REPLACE MACRO __pintail.pg.pg_relation_is_updatable(o, c) AS 28;
CREATE OR REPLACE MACRO __pintail.pg.pg_column_is_updatable(o, n, c) AS true;
CREATE OR REPLACE MACRO __pintail.pg.pg_stat_get_numscans(o) AS 0::BIGINT;
CREATE OR REPLACE MACRO __pintail.pg._pg_char_max_length(t, m) AS CASE WHEN m = -1 THEN NULL WHEN t IN (1042, 1043) THEN m - 4 END;
CREATE OR REPLACE MACRO __pintail.pg._pg_truetypid(a, t) AS 25
