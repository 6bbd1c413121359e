CREATE TABLE __pintail.info.foreign_table_options (
    "foreign_table_catalog" VARCHAR,
    "foreign_table_schema" VARCHAR,
    "foreign_table_name" VARCHAR,
    "option_name" VARCHAR,
    "option_value" VARCHAR
)
