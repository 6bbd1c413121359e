CREATE TABLE __pintail.info.udt_privileges (
    "grantor" VARCHAR,
    "grantee" VARCHAR,
    "udt_catalog" VARCHAR,
    "udt_schema" VARCHAR,
    "udt_name" VARCHAR,
    "privilege_type" VARCHAR,
    "is_grantable" VARCHAR
)
