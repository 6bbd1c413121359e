CREATE TABLE __pintail.pg.pg_ident_file_mappings (
    "line_number" INTEGER,
    "map_name" VARCHAR,
    "sys_name" VARCHAR,
    "pg_username" VARCHAR,
    "error" VARCHAR
)
