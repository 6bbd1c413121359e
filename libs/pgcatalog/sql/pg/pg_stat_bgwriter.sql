CREATE TABLE __pintail.pg.pg_stat_bgwriter (
    "checkpoints_timed" BIGINT,
    "checkpoints_req" BIGINT,
    "checkpoint_write_time" DOUBLE,
    "checkpoint_sync_time" DOUBLE,
    "buffers_checkpoint" BIGINT,
    "buffers_clean" BIGINT,
    "maxwritten_clean" BIGINT,
    "buffers_backend" BIGINT,
    "buffers_backend_fsync" BIGINT,
    "buffers_alloc" BIGINT,
    "stats_reset" TIMESTAMPTZ
)
