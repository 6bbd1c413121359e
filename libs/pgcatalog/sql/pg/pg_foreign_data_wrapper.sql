CREATE TABLE __pintail.pg.pg_foreign_data_wrapper (
    "oid" BIGINT,
    "fdwname" VARCHAR,
    "fdwowner" BIGINT,
    "fdwhandler" BIGINT,
    "fdwvalidator" BIGINT,
    "fdwacl" VARCHAR[],
    "fdwoptions" VARCHAR[]
)
