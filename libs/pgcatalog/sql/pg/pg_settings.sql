CREATE TABLE __pintail.pg.pg_settings (
    "name" VARCHAR,
    "setting" VARCHAR,
    "unit" VARCHAR,
    "category" VARCHAR,
    "short_desc" VARCHAR,
    "extra_desc" VARCHAR,
    "context" VARCHAR,
    "vartype" VARCHAR,
    "source" VARCHAR,
    "min_val" VARCHAR,
    "max_val" VARCHAR,
    "enumvals" VARCHAR[],
    "boot_val" VARCHAR,
    "reset_val" VARCHAR,
    "sourcefile" VARCHAR,
    "sourceline" INTEGER,
    "pending_restart" BOOLEAN
)
