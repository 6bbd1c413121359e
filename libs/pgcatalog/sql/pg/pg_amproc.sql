CREATE TABLE __pintail.pg.pg_amproc (
    "oid" BIGINT,
    "amprocfamily" BIGINT,
    "amproclefttype" BIGINT,
    "amprocrighttype" BIGINT,
    "amprocnum" SMALLINT,
    "amproc" VARCHAR
)
