CREATE TABLE __pintail.pg.pg_statio_all_tables (
    "relid" BIGINT,
    "schemaname" VARCHAR,
    "relname" VARCHAR,
    "heap_blks_read" BIGINT,
    "heap_blks_hit" BIGINT,
    "idx_blks_read" BIGINT,
    "idx_blks_hit" BIGINT,
    "toast_blks_read" BIGINT,
    "toast_blks_hit" BIGINT,
    "tidx_blks_read" BIGINT,
    "tidx_blks_hit" BIGINT
)
