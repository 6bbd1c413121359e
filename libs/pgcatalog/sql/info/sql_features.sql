CREATE TABLE __pintail.info.sql_features (
    "feature_id" VARCHAR,
    "feature_name" VARCHAR,
    "sub_feature_id" VARCHAR,
    "sub_feature_name" VARCHAR,
    "is_supported" VARCHAR,
    "is_verified_by" VARCHAR,
    "comments" VARCHAR
)
