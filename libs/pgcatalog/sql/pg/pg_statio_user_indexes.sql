CREATE TABLE __pintail.pg.pg_statio_user_indexes (
    "relid" BIGINT,
    "indexrelid" BIGINT,
    "schemaname" VARCHAR,
    "relname" VARCHAR,
    "indexrelname" VARCHAR,
    "idx_blks_read" BIGINT,
    "idx_blks_hit" BIGINT
)
