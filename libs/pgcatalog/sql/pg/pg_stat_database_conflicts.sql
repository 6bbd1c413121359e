CREATE TABLE __pintail.pg.pg_stat_database_conflicts (
    "datid" BIGINT,
    "datname" VARCHAR,
    "confl_tablespace" BIGINT,
    "confl_lock" BIGINT,
    "confl_snapshot" BIGINT,
    "confl_bufferpin" BIGINT,
    "confl_deadlock" BIGINT
)
