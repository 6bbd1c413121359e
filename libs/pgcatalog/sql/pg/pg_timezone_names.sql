CREATE TABLE __pintail.pg.pg_timezone_names (
    "name" VARCHAR,
    "abbrev" VARCHAR,
    "utc_offset" INTERVAL,
    "is_dst" BOOLEAN
)
