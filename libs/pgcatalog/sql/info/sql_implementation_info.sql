CREATE TABLE __pintail.info.sql_implementation_info (
    "implementation_info_id" VARCHAR,
    "implementation_info_name" VARCHAR,
    "integer_value" INTEGER,
    "character_value" VARCHAR,
    "comments" VARCHAR
)
