CREATE TABLE __pintail.pg.pg_group (
    "groname" VARCHAR,
    "grosysid" BIGINT,
    "grolist" BIGINT[]
)
