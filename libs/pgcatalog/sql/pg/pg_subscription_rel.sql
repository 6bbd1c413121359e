CREATE TABLE __pintail.pg.pg_subscription_rel (
    "srsubid" BIGINT,
    "srrelid" BIGINT,
    "srsubstate" VARCHAR,
    "srsublsn" VARCHAR
)
