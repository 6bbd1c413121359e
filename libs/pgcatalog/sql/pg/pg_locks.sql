CREATE OR REPLACE VIEW __pintail.pg.pg_locks AS
SELECT 'advisory' AS locktype, 5::BIGINT AS "database", NULL::BIGINT AS relation, NULL::INTEGER AS page, NULL::SMALLINT AS tuple, NULL::VARCHAR AS virtualxid, NULL::BIGINT AS transactionid,
       classid::BIGINT AS classid, objid::BIGINT AS objid, objsubid::SMALLINT AS objsubid, pid || '/0' AS virtualtransaction, pid::INTEGER AS pid, "mode", granted::BOOLEAN AS granted, false AS fastpath, waitstart::TIMESTAMPTZ AS waitstart
FROM __pintail_rows('pg_locks')
