CREATE TABLE __pintail.info.role_routine_grants (
    "grantor" VARCHAR,
    "grantee" VARCHAR,
    "specific_catalog" VARCHAR,
    "specific_schema" VARCHAR,
    "specific_name" VARCHAR,
    "routine_catalog" VARCHAR,
    "routine_schema" VARCHAR,
    "routine_name" VARCHAR,
    "privilege_type" VARCHAR,
    "is_grantable" VARCHAR
)
