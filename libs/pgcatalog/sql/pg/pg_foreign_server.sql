CREATE TABLE __pintail.pg.pg_foreign_server (
    "oid" BIGINT,
    "srvname" VARCHAR,
    "srvowner" BIGINT,
    "srvfdw" BIGINT,
    "srvtype" VARCHAR,
    "srvversion" VARCHAR,
    "srvacl" VARCHAR[],
    "srvoptions" VARCHAR[]
)
