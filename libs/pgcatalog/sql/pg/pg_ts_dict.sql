CREATE TABLE __pintail.pg.pg_ts_dict (
    "oid" BIGINT,
    "dictname" VARCHAR,
    "dictnamespace" BIGINT,
    "dictowner" BIGINT,
    "dicttemplate" BIGINT,
    "dictinitoption" VARCHAR
)
