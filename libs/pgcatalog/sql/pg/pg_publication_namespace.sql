CREATE TABLE __pintail.pg.pg_publication_namespace (
    "oid" BIGINT,
    "pnpubid" BIGINT,
    "pnnspid" BIGINT
)
