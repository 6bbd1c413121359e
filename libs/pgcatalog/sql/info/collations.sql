CREATE TABLE __pintail.info.collations (
    "collation_catalog" VARCHAR,
    "collation_schema" VARCHAR,
    "collation_name" VARCHAR,
    "pad_attribute" VARCHAR
)
