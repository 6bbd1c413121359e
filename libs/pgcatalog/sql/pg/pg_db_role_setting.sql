CREATE TABLE __pintail.pg.pg_db_role_setting (
    "setdatabase" BIGINT,
    "setrole" BIGINT,
    "setconfig" VARCHAR[]
)
