CREATE TABLE __pintail.pg.pg_init_privs (
    "objoid" BIGINT,
    "classoid" BIGINT,
    "objsubid" INTEGER,
    "privtype" VARCHAR,
    "initprivs" VARCHAR[]
)
