CREATE TABLE __pintail.info.view_table_usage (
    "view_catalog" VARCHAR,
    "view_schema" VARCHAR,
    "view_name" VARCHAR,
    "table_catalog" VARCHAR,
    "table_schema" VARCHAR,
    "table_name" VARCHAR
)
