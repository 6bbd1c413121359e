CREATE TABLE __pintail.pg.pg_statistic_ext_data (
    "stxoid" BIGINT,
    "stxdinherit" BOOLEAN,
    "stxdndistinct" VARCHAR,
    "stxddependencies" VARCHAR,
    "stxdmcv" VARCHAR,
    "stxdexpr" VARCHAR[]
)
