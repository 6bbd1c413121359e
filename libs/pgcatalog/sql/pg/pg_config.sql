CREATE TABLE __pintail.pg.pg_config (
    "name" VARCHAR,
    "setting" VARCHAR
)
