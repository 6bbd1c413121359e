CREATE TABLE __pintail.pg.pg_matviews (
    "schemaname" VARCHAR,
    "matviewname" VARCHAR,
    "matviewowner" VARCHAR,
    "tablespace" VARCHAR,
    "hasindexes" BOOLEAN,
    "ispopulated" BOOLEAN,
    "definition" VARCHAR
)
