CREATE TABLE __pintail.info.role_udt_grants (
    "grantor" VARCHAR,
    "grantee" VARCHAR,
    "udt_catalog" VARCHAR,
    "udt_schema" VARCHAR,
    "udt_name" VARCHAR,
    "privilege_type" VARCHAR,
    "is_grantable" VARCHAR
)
