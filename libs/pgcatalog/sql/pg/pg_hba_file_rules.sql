CREATE TABLE __pintail.pg.pg_hba_file_rules (
    "line_number" INTEGER,
    "type" VARCHAR,
    "database" VARCHAR[],
    "user_name" VARCHAR[],
    "address" VARCHAR,
    "netmask" VARCHAR,
    "auth_method" VARCHAR,
    "options" VARCHAR[],
    "error" VARCHAR
)
