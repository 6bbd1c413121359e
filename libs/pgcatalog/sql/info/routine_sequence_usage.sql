CREATE TABLE __pintail.info.routine_sequence_usage (
    "specific_catalog" VARCHAR,
    "specific_schema" VARCHAR,
    "specific_name" VARCHAR,
    "routine_catalog" VARCHAR,
    "routine_schema" VARCHAR,
    "routine_name" VARCHAR,
    "sequence_catalog" VARCHAR,
    "sequence_schema" VARCHAR,
    "sequence_name" VARCHAR
)
