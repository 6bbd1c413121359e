CREATE TABLE __pintail.pg.pg_opfamily (
    "oid" BIGINT,
    "opfmethod" BIGINT,
    "opfname" VARCHAR,
    "opfnamespace" BIGINT,
    "opfowner" BIGINT
)
