CREATE TABLE __pintail.info.usage_privileges (
    "grantor" VARCHAR,
    "grantee" VARCHAR,
    "object_catalog" VARCHAR,
    "object_schema" VARCHAR,
    "object_name" VARCHAR,
    "object_type" VARCHAR,
    "privilege_type" VARCHAR,
    "is_grantable" VARCHAR
)
