CREATE TABLE __pintail.info.foreign_data_wrappers (
    "foreign_data_wrapper_catalog" VARCHAR,
    "foreign_data_wrapper_name" VARCHAR,
    "authorization_identifier" VARCHAR,
    "library_name" VARCHAR,
    "foreign_data_wrapper_language" VARCHAR
)
