CREATE TABLE __pintail.info.routine_table_usage (
    "specific_catalog" VARCHAR,
    "specific_schema" VARCHAR,
    "specific_name" VARCHAR,
    "routine_catalog" VARCHAR,
    "routine_schema" VARCHAR,
    "routine_name" VARCHAR,
    "table_catalog" VARCHAR,
    "table_schema" VARCHAR,
    "table_name" VARCHAR
)
