CREATE TABLE __pintail.pg.pg_operator (
    "oid" BIGINT,
    "oprname" VARCHAR,
    "oprnamespace" BIGINT,
    "oprowner" BIGINT,
    "oprkind" VARCHAR,
    "oprcanmerge" BOOLEAN,
    "oprcanhash" BOOLEAN,
    "oprleft" BIGINT,
    "oprright" BIGINT,
    "oprresult" BIGINT,
    "oprcom" BIGINT,
    "oprnegate" BIGINT,
    "oprcode" VARCHAR,
    "oprrest" VARCHAR,
    "oprjoin" VARCHAR
)
