CREATE TABLE __pintail.pg.pg_publication_rel (
    "oid" BIGINT,
    "prpubid" BIGINT,
    "prrelid" BIGINT,
    "prqual" VARCHAR,
    "prattrs" SMALLINT[]
)
