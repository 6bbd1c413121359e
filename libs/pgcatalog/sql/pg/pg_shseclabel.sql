CREATE TABLE __pintail.pg.pg_shseclabel (
    "objoid" BIGINT,
    "classoid" BIGINT,
    "provider" VARCHAR,
    "label" VARCHAR
)
