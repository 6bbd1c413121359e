CREATE TABLE __pintail.pg.pg_default_acl (
    "oid" BIGINT,
    "defaclrole" BIGINT,
    "defaclnamespace" BIGINT,
    "defaclobjtype" VARCHAR,
    "defaclacl" VARCHAR[]
)
