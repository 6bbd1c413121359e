CREATE TABLE __pintail.pg.pg_stat_replication_slots (
    "slot_name" VARCHAR,
    "spill_txns" BIGINT,
    "spill_count" BIGINT,
    "spill_bytes" BIGINT,
    "stream_txns" BIGINT,
    "stream_count" BIGINT,
    "stream_bytes" BIGINT,
    "total_txns" BIGINT,
    "total_bytes" BIGINT,
    "stats_reset" TIMESTAMPTZ
)
