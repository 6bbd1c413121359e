CREATE TABLE __pintail.pg.pg_replication_slots (
    "slot_name" VARCHAR,
    "plugin" VARCHAR,
    "slot_type" VARCHAR,
    "datoid" BIGINT,
    "database" VARCHAR,
    "temporary" BOOLEAN,
    "active" BOOLEAN,
    "active_pid" INTEGER,
    "xmin" BIGINT,
    "catalog_xmin" BIGINT,
    "restart_lsn" VARCHAR,
    "confirmed_flush_lsn" VARCHAR,
    "wal_status" VARCHAR,
    "safe_wal_size" BIGINT,
    "two_phase" BOOLEAN
)
