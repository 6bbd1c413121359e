CREATE TABLE __pintail.info.constraint_table_usage (
    "table_catalog" VARCHAR,
    "table_schema" VARCHAR,
    "table_name" VARCHAR,
    "constraint_catalog" VARCHAR,
    "constraint_schema" VARCHAR,
    "constraint_name" VARCHAR
)
