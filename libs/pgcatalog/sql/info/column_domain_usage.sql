CREATE TABLE __pintail.info.column_domain_usage (
    "domain_catalog" VARCHAR,
    "domain_schema" VARCHAR,
    "domain_name" VARCHAR,
    "table_catalog" VARCHAR,
    "table_schema" VARCHAR,
    "table_name" VARCHAR,
    "column_name" VARCHAR
)
