CREATE TABLE __pintail.pg.pg_stat_subscription_stats (
    "subid" BIGINT,
    "subname" VARCHAR,
    "apply_error_count" BIGINT,
    "sync_error_count" BIGINT,
    "stats_reset" TIMESTAMPTZ
)
