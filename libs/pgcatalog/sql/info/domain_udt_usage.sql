CREATE TABLE __pintail.info.domain_udt_usage (
    "udt_catalog" VARCHAR,
    "udt_schema" VARCHAR,
    "udt_name" VARCHAR,
    "domain_catalog" VARCHAR,
    "domain_schema" VARCHAR,
    "domain_name" VARCHAR
)
