CREATE TABLE __pintail.info.column_options (
    "table_catalog" VARCHAR,
    "table_schema" VARCHAR,
    "table_name" VARCHAR,
    "column_name" VARCHAR,
    "option_name" VARCHAR,
    "option_value" VARCHAR
)
