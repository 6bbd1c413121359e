CREATE TABLE __pintail.pg.pg_depend (
    "classid" BIGINT,
    "objid" BIGINT,
    "objsubid" INTEGER,
    "refclassid" BIGINT,
    "refobjid" BIGINT,
    "refobjsubid" INTEGER,
    "deptype" VARCHAR
)
