CREATE TABLE __pintail.info.column_udt_usage (
    "udt_catalog" VARCHAR,
    "udt_schema" VARCHAR,
    "udt_name" VARCHAR,
    "table_catalog" VARCHAR,
    "table_schema" VARCHAR,
    "table_name" VARCHAR,
    "column_name" VARCHAR
)
