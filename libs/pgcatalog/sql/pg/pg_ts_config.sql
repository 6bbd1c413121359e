CREATE TABLE __pintail.pg.pg_ts_config (
    "oid" BIGINT,
    "cfgname" VARCHAR,
    "cfgnamespace" BIGINT,
    "cfgowner" BIGINT,
    "cfgparser" BIGINT
)
