CREATE TABLE __pintail.info.data_type_privileges (
    "object_catalog" VARCHAR,
    "object_schema" VARCHAR,
    "object_name" VARCHAR,
    "object_type" VARCHAR,
    "dtd_identifier" VARCHAR
)
