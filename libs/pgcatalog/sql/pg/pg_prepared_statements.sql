CREATE TABLE __pintail.pg.pg_prepared_statements (
    "name" VARCHAR,
    "statement" VARCHAR,
    "prepare_time" TIMESTAMPTZ,
    "parameter_types" VARCHAR[],
    "from_sql" BOOLEAN,
    "generic_plans" BIGINT,
    "custom_plans" BIGINT
)
