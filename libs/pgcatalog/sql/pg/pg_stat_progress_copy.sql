CREATE TABLE __pintail.pg.pg_stat_progress_copy (
    "pid" INTEGER,
    "datid" BIGINT,
    "datname" VARCHAR,
    "relid" BIGINT,
    "command" VARCHAR,
    "type" VARCHAR,
    "bytes_processed" BIGINT,
    "bytes_total" BIGINT,
    "tuples_processed" BIGINT,
    "tuples_excluded" BIGINT
)
