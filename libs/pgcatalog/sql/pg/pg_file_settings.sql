CREATE TABLE __pintail.pg.pg_file_settings (
    "sourcefile" VARCHAR,
    "sourceline" INTEGER,
    "seqno" INTEGER,
    "name" VARCHAR,
    "setting" VARCHAR,
    "applied" BOOLEAN,
    "error" VARCHAR
)
