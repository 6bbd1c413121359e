CREATE TABLE __pintail.pg.pg_publication_tables (
    "pubname" VARCHAR,
    "schemaname" VARCHAR,
    "tablename" VARCHAR,
    "attnames" VARCHAR[],
    "rowfilter" VARCHAR
)
