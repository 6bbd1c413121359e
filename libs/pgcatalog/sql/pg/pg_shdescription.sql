CREATE TABLE __pintail.pg.pg_shdescription (
    "objoid" BIGINT,
    "classoid" BIGINT,
    "description" VARCHAR
)
