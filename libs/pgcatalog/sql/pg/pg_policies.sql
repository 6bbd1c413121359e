CREATE TABLE __pintail.pg.pg_policies (
    "schemaname" VARCHAR,
    "tablename" VARCHAR,
    "policyname" VARCHAR,
    "permissive" VARCHAR,
    "roles" VARCHAR[],
    "cmd" VARCHAR,
    "qual" VARCHAR,
    "with_check" VARCHAR
)
