CREATE TABLE __pintail.info.collation_character_set_applicability (
    "collation_catalog" VARCHAR,
    "collation_schema" VARCHAR,
    "collation_name" VARCHAR,
    "character_set_catalog" VARCHAR,
    "character_set_schema" VARCHAR,
    "character_set_name" VARCHAR
)
