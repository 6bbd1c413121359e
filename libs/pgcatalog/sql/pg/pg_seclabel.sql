CREATE TABLE __pintail.pg.pg_seclabel (
    "objoid" BIGINT,
    "classoid" BIGINT,
    "objsubid" INTEGER,
    "provider" VARCHAR,
    "label" VARCHAR
)
