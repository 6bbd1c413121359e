CREATE TABLE __pintail.pg.pg_shdepend (
    "dbid" BIGINT,
    "classid" BIGINT,
    "objid" BIGINT,
    "objsubid" INTEGER,
    "refclassid" BIGINT,
    "refobjid" BIGINT,
    "deptype" VARCHAR
)
