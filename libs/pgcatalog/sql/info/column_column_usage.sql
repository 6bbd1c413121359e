CREATE TABLE __pintail.info.column_column_usage (
    "table_catalog" VARCHAR,
    "table_schema" VARCHAR,
    "table_name" VARCHAR,
    "column_name" VARCHAR,
    "dependent_column" VARCHAR
)
