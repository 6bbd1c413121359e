CREATE TABLE __pintail.pg.pg_locks (
    "locktype" VARCHAR,
    "database" BIGINT,
    "relation" BIGINT,
    "page" INTEGER,
    "tuple" SMALLINT,
    "virtualxid" VARCHAR,
    "transactionid" BIGINT,
    "classid" BIGINT,
    "objid" BIGINT,
    "objsubid" SMALLINT,
    "virtualtransaction" VARCHAR,
    "pid" INTEGER,
    "mode" VARCHAR,
    "granted" BOOLEAN,
    "fastpath" BOOLEAN,
    "waitstart" TIMESTAMPTZ
)
