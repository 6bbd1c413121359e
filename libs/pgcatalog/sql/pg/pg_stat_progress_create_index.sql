CREATE TABLE __pintail.pg.pg_stat_progress_create_index (
    "pid" INTEGER,
    "datid" BIGINT,
    "datname" VARCHAR,
    "relid" BIGINT,
    "index_relid" BIGINT,
    "command" VARCHAR,
    "phase" VARCHAR,
    "lockers_total" BIGINT,
    "lockers_done" BIGINT,
    "current_locker_pid" BIGINT,
    "blocks_total" BIGINT,
    "blocks_done" BIGINT,
    "tuples_total" BIGINT,
    "tuples_done" BIGINT,
    "partitions_total" BIGINT,
    "partitions_done" BIGINT
)
