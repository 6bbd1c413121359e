CREATE TABLE __pintail.info.foreign_tables (
    "foreign_table_catalog" VARCHAR,
    "foreign_table_schema" VARCHAR,
    "foreign_table_name" VARCHAR,
    "foreign_server_catalog" VARCHAR,
    "foreign_server_name" VARCHAR
)
