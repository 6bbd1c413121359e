CREATE TABLE __pintail.pg.pg_ts_template (
    "oid" BIGINT,
    "tmplname" VARCHAR,
    "tmplnamespace" BIGINT,
    "tmplinit" VARCHAR,
    "tmpllexize" VARCHAR
)
