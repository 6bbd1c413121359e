CREATE TABLE __pintail.info.applicable_roles (
    "grantee" VARCHAR,
    "role_name" VARCHAR,
    "is_grantable" VARCHAR
)
