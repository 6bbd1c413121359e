CREATE TABLE __pintail.info.domain_constraints (
    "constraint_catalog" VARCHAR,
    "constraint_schema" VARCHAR,
    "constraint_name" VARCHAR,
    "domain_catalog" VARCHAR,
    "domain_schema" VARCHAR,
    "domain_name" VARCHAR,
    "is_deferrable" VARCHAR,
    "initially_deferred" VARCHAR
)
