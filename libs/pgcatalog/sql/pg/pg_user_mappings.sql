CREATE TABLE __pintail.pg.pg_user_mappings (
    "umid" BIGINT,
    "srvid" BIGINT,
    "srvname" VARCHAR,
    "umuser" BIGINT,
    "usename" VARCHAR,
    "umoptions" VARCHAR[]
)
