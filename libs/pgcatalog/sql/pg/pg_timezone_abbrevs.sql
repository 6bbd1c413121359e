CREATE TABLE __pintail.pg.pg_timezone_abbrevs (
    "abbrev" VARCHAR,
    "utc_offset" INTERVAL,
    "is_dst" BOOLEAN
)
