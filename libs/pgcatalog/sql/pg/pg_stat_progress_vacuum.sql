CREATE TABLE __pintail.pg.pg_stat_progress_vacuum (
    "pid" INTEGER,
    "datid" BIGINT,
    "datname" VARCHAR,
    "relid" BIGINT,
    "phase" VARCHAR,
    "heap_blks_total" BIGINT,
    "heap_blks_scanned" BIGINT,
    "heap_blks_vacuumed" BIGINT,
    "index_vacuum_count" BIGINT,
    "max_dead_tuples" BIGINT,
    "num_dead_tuples" BIGINT
)
