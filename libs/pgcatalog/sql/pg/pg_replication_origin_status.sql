CREATE TABLE __pintail.pg.pg_replication_origin_status (
    "local_id" BIGINT,
    "external_id" VARCHAR,
    "remote_lsn" VARCHAR,
    "local_lsn" VARCHAR
)
