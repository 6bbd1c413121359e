CREATE TABLE __pintail.info.triggered_update_columns (
    "trigger_catalog" VARCHAR,
    "trigger_schema" VARCHAR,
    "trigger_name" VARCHAR,
    "event_object_catalog" VARCHAR,
    "event_object_schema" VARCHAR,
    "event_object_table" VARCHAR,
    "event_object_column" VARCHAR
)
