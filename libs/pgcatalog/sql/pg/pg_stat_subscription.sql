CREATE TABLE __pintail.pg.pg_stat_subscription (
    "subid" BIGINT,
    "subname" VARCHAR,
    "pid" INTEGER,
    "relid" BIGINT,
    "received_lsn" VARCHAR,
    "last_msg_send_time" TIMESTAMPTZ,
    "last_msg_receipt_time" TIMESTAMPTZ,
    "latest_end_lsn" VARCHAR,
    "latest_end_time" TIMESTAMPTZ
)
