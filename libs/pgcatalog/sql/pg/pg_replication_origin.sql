CREATE TABLE __pintail.pg.pg_replication_origin (
    "roident" BIGINT,
    "roname" VARCHAR
)
