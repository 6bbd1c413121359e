CREATE TABLE __pintail.pg.pg_publication (
    "oid" BIGINT,
    "pubname" VARCHAR,
    "pubowner" BIGINT,
    "puballtables" BOOLEAN,
    "pubinsert" BOOLEAN,
    "pubupdate" BOOLEAN,
    "pubdelete" BOOLEAN,
    "pubtruncate" BOOLEAN,
    "pubviaroot" BOOLEAN
)
