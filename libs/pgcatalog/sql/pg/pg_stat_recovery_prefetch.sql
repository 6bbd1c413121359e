CREATE TABLE __pintail.pg.pg_stat_recovery_prefetch (
    "stats_reset" TIMESTAMPTZ,
    "prefetch" BIGINT,
    "hit" BIGINT,
    "skip_init" BIGINT,
    "skip_new" BIGINT,
    "skip_fpw" BIGINT,
    "skip_rep" BIGINT,
    "wal_distance" INTEGER,
    "block_distance" INTEGER,
    "io_depth" INTEGER
)
