CREATE TABLE __pintail.info.user_mappings (
    "authorization_identifier" VARCHAR,
    "foreign_server_catalog" VARCHAR,
    "foreign_server_name" VARCHAR
)
