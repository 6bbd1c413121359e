CREATE TABLE __pintail.info.transforms (
    "udt_catalog" VARCHAR,
    "udt_schema" VARCHAR,
    "udt_name" VARCHAR,
    "specific_catalog" VARCHAR,
    "specific_schema" VARCHAR,
    "specific_name" VARCHAR,
    "group_name" VARCHAR,
    "transform_type" VARCHAR
)
