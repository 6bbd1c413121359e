CREATE OR REPLACE VIEW __pintail.pg.pg_description AS
SELECT oid AS objoid, 1259::BIGINT AS classoid, 0::INTEGER AS objsubid, comment AS description FROM __pintail.pg._relations WHERE comment IS NOT NULL
UNION ALL SELECT relid, 1259, attnum::INTEGER, comment FROM __pintail.pg._columns WHERE comment IS NOT NULL
