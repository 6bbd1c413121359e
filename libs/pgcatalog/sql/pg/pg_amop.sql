CREATE TABLE __pintail.pg.pg_amop (
    "oid" BIGINT,
    "amopfamily" BIGINT,
    "amoplefttype" BIGINT,
    "amoprighttype" BIGINT,
    "amopstrategy" SMALLINT,
    "amoppurpose" VARCHAR,
    "amopopr" BIGINT,
    "amopmethod" BIGINT,
    "amopsortfamily" BIGINT
)
