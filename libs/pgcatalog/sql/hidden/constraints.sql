CREATE TABLE IF NOT EXISTS {catalog}."__pintail"."constraints" (
    constraint_id VARCHAR NOT NULL,
    schema_name VARCHAR NOT NULL,
    table_name VARCHAR NOT NULL,
    constraint_name VARCHAR NOT NULL,
    constraint_type VARCHAR NOT NULL,
    column_names VARCHAR[] NOT NULL,
    definition VARCHAR NOT NULL,
    ref_schema VARCHAR,
    ref_table VARCHAR,
    ref_columns VARCHAR[]
)
