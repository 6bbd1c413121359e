CREATE TABLE __pintail.pg.pg_enum (
    "oid" BIGINT,
    "enumtypid" BIGINT,
    "enumsortorder" FLOAT,
    "enumlabel" VARCHAR
)
