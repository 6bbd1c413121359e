CREATE TABLE __pintail.pg.pg_stat_wal (
    "wal_records" BIGINT,
    "wal_fpi" BIGINT,
    "wal_bytes" DECIMAL(38,10),
    "wal_buffers_full" BIGINT,
    "wal_write" BIGINT,
    "wal_sync" BIGINT,
    "wal_write_time" DOUBLE,
    "wal_sync_time" DOUBLE,
    "stats_reset" TIMESTAMPTZ
)
