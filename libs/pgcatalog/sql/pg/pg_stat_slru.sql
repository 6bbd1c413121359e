CREATE TABLE __pintail.pg.pg_stat_slru (
    "name" VARCHAR,
    "blks_zeroed" BIGINT,
    "blks_hit" BIGINT,
    "blks_read" BIGINT,
    "blks_written" BIGINT,
    "blks_exists" BIGINT,
    "flushes" BIGINT,
    "truncates" BIGINT,
    "stats_reset" TIMESTAMPTZ
)
