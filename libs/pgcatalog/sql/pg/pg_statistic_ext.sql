CREATE TABLE __pintail.pg.pg_statistic_ext (
    "oid" BIGINT,
    "stxrelid" BIGINT,
    "stxname" VARCHAR,
    "stxnamespace" BIGINT,
    "stxowner" BIGINT,
    "stxstattarget" INTEGER,
    "stxkeys" SMALLINT[],
    "stxkind" VARCHAR[],
    "stxexprs" VARCHAR
)
