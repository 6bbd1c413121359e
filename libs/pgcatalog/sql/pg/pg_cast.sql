CREATE TABLE __pintail.pg.pg_cast (
    "oid" BIGINT,
    "castsource" BIGINT,
    "casttarget" BIGINT,
    "castfunc" BIGINT,
    "castcontext" VARCHAR,
    "castmethod" VARCHAR
)
