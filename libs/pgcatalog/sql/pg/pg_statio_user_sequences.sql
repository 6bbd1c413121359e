CREATE TABLE __pintail.pg.pg_statio_user_sequences (
    "relid" BIGINT,
    "schemaname" VARCHAR,
    "relname" VARCHAR,
    "blks_read" BIGINT,
    "blks_hit" BIGINT
)
