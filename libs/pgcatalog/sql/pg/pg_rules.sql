CREATE TABLE __pintail.pg.pg_rules (
    "schemaname" VARCHAR,
    "tablename" VARCHAR,
    "rulename" VARCHAR,
    "definition" VARCHAR
)
