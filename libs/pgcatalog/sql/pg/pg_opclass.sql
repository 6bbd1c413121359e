CREATE TABLE __pintail.pg.pg_opclass (
    "oid" BIGINT,
    "opcmethod" BIGINT,
    "opcname" VARCHAR,
    "opcnamespace" BIGINT,
    "opcowner" BIGINT,
    "opcfamily" BIGINT,
    "opcintype" BIGINT,
    "opcdefault" BOOLEAN,
    "opckeytype" BIGINT
)
