CREATE TABLE __pintail.pg.pg_parameter_acl (
    "oid" BIGINT,
    "parname" VARCHAR,
    "paracl" VARCHAR[]
)
