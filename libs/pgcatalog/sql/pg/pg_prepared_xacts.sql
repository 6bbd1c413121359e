CREATE TABLE __pintail.pg.pg_prepared_xacts (
    "transaction" BIGINT,
    "gid" VARCHAR,
    "prepared" TIMESTAMPTZ,
    "owner" VARCHAR,
    "database" VARCHAR
)
