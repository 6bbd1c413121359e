CREATE TABLE __pintail.pg.pg_partitioned_table (
    "partrelid" BIGINT,
    "partstrat" VARCHAR,
    "partnatts" SMALLINT,
    "partdefid" BIGINT,
    "partattrs" SMALLINT[],
    "partclass" BIGINT[],
    "partcollation" BIGINT[],
    "partexprs" VARCHAR
)
