CREATE TABLE __pintail.pg.pg_stat_progress_analyze (
    "pid" INTEGER,
    "datid" BIGINT,
    "datname" VARCHAR,
    "relid" BIGINT,
    "phase" VARCHAR,
    "sample_blks_total" BIGINT,
    "sample_blks_scanned" BIGINT,
    "ext_stats_total" BIGINT,
    "ext_stats_computed" BIGINT,
    "child_tables_total" BIGINT,
    "child_tables_done" BIGINT,
    "current_child_table_relid" BIGINT
)
