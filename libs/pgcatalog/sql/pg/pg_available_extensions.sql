CREATE TABLE __pintail.pg.pg_available_extensions (
    "name" VARCHAR,
    "default_version" VARCHAR,
    "installed_version" VARCHAR,
    "comment" VARCHAR
)
