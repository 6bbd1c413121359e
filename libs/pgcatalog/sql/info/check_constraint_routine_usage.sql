CREATE TABLE __pintail.info.check_constraint_routine_usage (
    "constraint_catalog" VARCHAR,
    "constraint_schema" VARCHAR,
    "constraint_name" VARCHAR,
    "specific_catalog" VARCHAR,
    "specific_schema" VARCHAR,
    "specific_name" VARCHAR
)
