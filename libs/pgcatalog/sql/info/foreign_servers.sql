CREATE TABLE __pintail.info.foreign_servers (
    "foreign_server_catalog" VARCHAR,
    "foreign_server_name" VARCHAR,
    "foreign_data_wrapper_catalog" VARCHAR,
    "foreign_data_wrapper_name" VARCHAR,
    "foreign_server_type" VARCHAR,
    "foreign_server_version" VARCHAR,
    "authorization_identifier" VARCHAR
)
