CREATE TABLE __pintail.info.user_mapping_options (
    "authorization_identifier" VARCHAR,
    "foreign_server_catalog" VARCHAR,
    "foreign_server_name" VARCHAR,
    "option_name" VARCHAR,
    "option_value" VARCHAR
)
