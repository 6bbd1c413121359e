CREATE TABLE __pintail.pg.pg_am (
    "oid" BIGINT,
    "amname" VARCHAR,
    "amhandler" VARCHAR,
    "amtype" VARCHAR
);
INSERT INTO __pintail.pg.pg_am VALUES
    (2, 'heap', 'heap_tableam_handler', 't'),
    (403, 'btree', 'bthandler', 'i'),
    (405, 'hash', 'hashhandler', 'i')
