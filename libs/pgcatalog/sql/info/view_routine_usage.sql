CREATE TABLE __pintail.info.view_routine_usage (
    "table_catalog" VARCHAR,
    "table_schema" VARCHAR,
    "table_name" VARCHAR,
    "specific_catalog" VARCHAR,
    "specific_schema" VARCHAR,
    "specific_name" VARCHAR
)
