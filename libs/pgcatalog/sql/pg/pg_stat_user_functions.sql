CREATE TABLE __pintail.pg.pg_stat_user_functions (
    "funcid" BIGINT,
    "schemaname" VARCHAR,
    "funcname" VARCHAR,
    "calls" BIGINT,
    "total_time" DOUBLE,
    "self_time" DOUBLE
)
