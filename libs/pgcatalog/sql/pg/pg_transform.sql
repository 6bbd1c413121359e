CREATE TABLE __pintail.pg.pg_transform (
    "oid" BIGINT,
    "trftype" BIGINT,
    "trflang" BIGINT,
    "trffromsql" VARCHAR,
    "trftosql" VARCHAR
)
