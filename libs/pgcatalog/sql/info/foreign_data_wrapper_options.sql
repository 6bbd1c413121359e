CREATE TABLE __pintail.info.foreign_data_wrapper_options (
    "foreign_data_wrapper_catalog" VARCHAR,
    "foreign_data_wrapper_name" VARCHAR,
    "option_name" VARCHAR,
    "option_value" VARCHAR
)
