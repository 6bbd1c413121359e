CREATE TABLE __pintail.pg.pg_largeobject_metadata (
    "oid" BIGINT,
    "lomowner" BIGINT,
    "lomacl" VARCHAR[]
)
