CREATE TABLE __pintail.pg.pg_stat_progress_basebackup (
    "pid" INTEGER,
    "phase" VARCHAR,
    "backup_total" BIGINT,
    "backup_streamed" BIGINT,
    "tablespaces_total" BIGINT,
    "tablespaces_streamed" BIGINT
)
