CREATE TABLE __pintail.pg.pg_stat_wal_receiver (
    "pid" INTEGER,
    "status" VARCHAR,
    "receive_start_lsn" VARCHAR,
    "receive_start_tli" INTEGER,
    "written_lsn" VARCHAR,
    "flushed_lsn" VARCHAR,
    "received_tli" INTEGER,
    "last_msg_send_time" TIMESTAMPTZ,
    "last_msg_receipt_time" TIMESTAMPTZ,
    "latest_end_lsn" VARCHAR,
    "latest_end_time" TIMESTAMPTZ,
    "slot_name" VARCHAR,
    "sender_host" VARCHAR,
    "sender_port" INTEGER,
    "conninfo" VARCHAR
)
