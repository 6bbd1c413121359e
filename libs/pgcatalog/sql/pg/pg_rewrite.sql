CREATE TABLE __pintail.pg.pg_rewrite (
    "oid" BIGINT,
    "rulename" VARCHAR,
    "ev_class" BIGINT,
    "ev_type" VARCHAR,
    "ev_enabled" VARCHAR,
    "is_instead" BOOLEAN,
    "ev_qual" VARCHAR,
    "ev_action" VARCHAR
)
