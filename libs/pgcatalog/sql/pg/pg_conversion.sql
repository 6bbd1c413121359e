CREATE TABLE __pintail.pg.pg_conversion (
    "oid" BIGINT,
    "conname" VARCHAR,
    "connamespace" BIGINT,
    "conowner" BIGINT,
    "conforencoding" INTEGER,
    "contoencoding" INTEGER,
    "conproc" VARCHAR,
    "condefault" BOOLEAN
)
