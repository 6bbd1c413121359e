CREATE TABLE __pintail.pg.pg_stat_gssapi (
    "pid" INTEGER,
    "gss_authenticated" BOOLEAN,
    "principal" VARCHAR,
    "encrypted" BOOLEAN
)
