CREATE TABLE __pintail.pg.pg_stat_archiver (
    "archived_count" BIGINT,
    "last_archived_wal" VARCHAR,
    "last_archived_time" TIMESTAMPTZ,
    "failed_count" BIGINT,
    "last_failed_wal" VARCHAR,
    "last_failed_time" TIMESTAMPTZ,
    "stats_reset" TIMESTAMPTZ
)
