CREATE TABLE __pintail.pg.pg_sequences (
    "schemaname" VARCHAR,
    "sequencename" VARCHAR,
    "sequenceowner" VARCHAR,
    "data_type" VARCHAR,
    "start_value" BIGINT,
    "min_value" BIGINT,
    "max_value" BIGINT,
    "increment_by" BIGINT,
    "cycle" BOOLEAN,
    "cache_size" BIGINT,
    "last_value" BIGINT
)
