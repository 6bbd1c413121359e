CREATE TABLE __pintail.pg.pg_extension (
    "oid" BIGINT,
    "extname" VARCHAR,
    "extowner" BIGINT,
    "extnamespace" BIGINT,
    "extrelocatable" BOOLEAN,
    "extversion" VARCHAR,
    "extconfig" BIGINT[],
    "extcondition" VARCHAR[]
)
