CREATE TABLE __pintail.info.sequences (
    "sequence_catalog" VARCHAR,
    "sequence_schema" VARCHAR,
    "sequence_name" VARCHAR,
    "data_type" VARCHAR,
    "numeric_precision" INTEGER,
    "numeric_precision_radix" INTEGER,
    "numeric_scale" INTEGER,
    "start_value" VARCHAR,
    "minimum_value" VARCHAR,
    "maximum_value" VARCHAR,
    "increment" VARCHAR,
    "cycle_option" VARCHAR
)
