CREATE TABLE __pintail.pg.pg_collation (
    "oid" BIGINT,
    "collname" VARCHAR,
    "collnamespace" BIGINT,
    "collowner" BIGINT,
    "collprovider" VARCHAR,
    "collisdeterministic" BOOLEAN,
    "collencoding" INTEGER,
    "collcollate" VARCHAR,
    "collctype" VARCHAR,
    "colliculocale" VARCHAR,
    "collversion" VARCHAR
);
INSERT INTO __pintail.pg.pg_collation VALUES
    (100, 'default', 11, 10, 'd', true, -1, NULL, NULL, NULL, NULL),
    (950, 'C', 11, 10, 'c', true, -1, 'C', 'C', NULL, NULL),
    (951, 'POSIX', 11, 10, 'c', true, -1, 'POSIX', 'POSIX', NULL, NULL)
