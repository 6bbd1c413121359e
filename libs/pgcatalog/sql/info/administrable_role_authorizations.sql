CREATE TABLE __pintail.info.administrable_role_authorizations (
    "grantee" VARCHAR,
    "role_name" VARCHAR,
    "is_grantable" VARCHAR
)
