CREATE TABLE __pintail.info.triggers (
    "trigger_catalog" VARCHAR,
    "trigger_schema" VARCHAR,
    "trigger_name" VARCHAR,
    "event_manipulation" VARCHAR,
    "event_object_catalog" VARCHAR,
    "event_object_schema" VARCHAR,
    "event_object_table" VARCHAR,
    "action_order" INTEGER,
    "action_condition" VARCHAR,
    "action_statement" VARCHAR,
    "action_orientation" VARCHAR,
    "action_timing" VARCHAR,
    "action_reference_old_table" VARCHAR,
    "action_reference_new_table" VARCHAR,
    "action_reference_old_row" VARCHAR,
    "action_reference_new_row" VARCHAR,
    "created" TIMESTAMPTZ
)
