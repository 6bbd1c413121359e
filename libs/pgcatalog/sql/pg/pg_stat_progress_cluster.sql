CREATE TABLE __pintail.pg.pg_stat_progress_cluster (
    "pid" INTEGER,
    "datid" BIGINT,
    "datname" VARCHAR,
    "relid" BIGINT,
    "command" VARCHAR,
    "phase" VARCHAR,
    "cluster_index_relid" BIGINT,
    "heap_tuples_scanned" BIGINT,
    "heap_tuples_written" BIGINT,
    "heap_blks_total" BIGINT,
    "heap_blks_scanned" BIGINT,
    "index_rebuild_count" BIGINT
)
