CREATE TABLE __pintail.pg.pg_user_mapping (
    "oid" BIGINT,
    "umuser" BIGINT,
    "umserver" BIGINT,
    "umoptions" VARCHAR[]
)
