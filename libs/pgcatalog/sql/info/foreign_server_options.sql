CREATE TABLE __pintail.info.foreign_server_options (
    "foreign_server_catalog" VARCHAR,
    "foreign_server_name" VARCHAR,
    "option_name" VARCHAR,
    "option_value" VARCHAR
)
