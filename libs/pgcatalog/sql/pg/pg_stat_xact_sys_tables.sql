CREATE TABLE __pintail.pg.pg_stat_xact_sys_tables (
    "relid" BIGINT,
    "schemaname" VARCHAR,
    "relname" VARCHAR,
    "seq_scan" BIGINT,
    "seq_tup_read" BIGINT,
    "idx_scan" BIGINT,
    "idx_tup_fetch" BIGINT,
    "n_tup_ins" BIGINT,
    "n_tup_upd" BIGINT,
    "n_tup_del" BIGINT,
    "n_tup_hot_upd" BIGINT
)
