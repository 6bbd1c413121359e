CREATE TABLE __pintail.pg.pg_tablespace (
    "oid" BIGINT,
    "spcname" VARCHAR,
    "spcowner" BIGINT,
    "spcacl" VARCHAR[],
    "spcoptions" VARCHAR[]
);
INSERT INTO __pintail.pg.pg_tablespace VALUES
    (1663, 'pg_default', 10, NULL, NULL),
    (1664, 'pg_global', 10, NULL, NULL)
