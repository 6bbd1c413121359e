CREATE TABLE __pintail.pg.pg_event_trigger (
    "oid" BIGINT,
    "evtname" VARCHAR,
    "evtevent" VARCHAR,
    "evtowner" BIGINT,
    "evtfoid" BIGINT,
    "evtenabled" VARCHAR,
    "evttags" VARCHAR[]
)
