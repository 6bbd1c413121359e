CREATE TABLE __pintail.pg.pg_ts_config_map (
    "mapcfg" BIGINT,
    "maptokentype" INTEGER,
    "mapseqno" INTEGER,
    "mapdict" BIGINT
)
