CREATE TABLE __pintail.info.sql_parts (
    "feature_id" VARCHAR,
    "feature_name" VARCHAR,
    "is_supported" VARCHAR,
    "is_verified_by" VARCHAR,
    "comments" VARCHAR
)
