CREATE TABLE __pintail.pg.pg_seclabels (
    "objoid" BIGINT,
    "classoid" BIGINT,
    "objsubid" INTEGER,
    "objtype" VARCHAR,
    "objnamespace" BIGINT,
    "objname" VARCHAR,
    "provider" VARCHAR,
    "label" VARCHAR
)
