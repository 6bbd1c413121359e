CREATE TABLE __pintail.pg.pg_foreign_table (
    "ftrelid" BIGINT,
    "ftserver" BIGINT,
    "ftoptions" VARCHAR[]
)
