CREATE TABLE __pintail.info.column_privileges (
    "grantor" VARCHAR,
    "grantee" VARCHAR,
    "table_catalog" VARCHAR,
    "table_schema" VARCHAR,
    "table_name" VARCHAR,
    "column_name" VARCHAR,
    "privilege_type" VARCHAR,
    "is_grantable" VARCHAR
)
