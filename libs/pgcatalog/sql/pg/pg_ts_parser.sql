CREATE TABLE __pintail.pg.pg_ts_parser (
    "oid" BIGINT,
    "prsname" VARCHAR,
    "prsnamespace" BIGINT,
    "prsstart" VARCHAR,
    "prstoken" VARCHAR,
    "prsend" VARCHAR,
    "prsheadline" VARCHAR,
    "prslextype" VARCHAR
)
