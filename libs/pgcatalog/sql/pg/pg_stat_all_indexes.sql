CREATE TABLE __pintail.pg.pg_stat_all_indexes (
    "relid" BIGINT,
    "indexrelid" BIGINT,
    "schemaname" VARCHAR,
    "relname" VARCHAR,
    "indexrelname" VARCHAR,
    "idx_scan" BIGINT,
    "idx_tup_read" BIGINT,
    "idx_tup_fetch" BIGINT
)
