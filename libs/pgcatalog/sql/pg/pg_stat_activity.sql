CREATE OR REPLACE VIEW __pintail.pg.pg_stat_activity AS
SELECT CASE WHEN datname = __pintail.pg._catalog() THEN 5 ELSE __pintail.pg._hash('database:' || datname) END::BIGINT AS datid, datname, pid::INTEGER AS pid, NULL::INTEGER AS leader_pid,
       CASE WHEN usename = __pintail.pg._user() THEN 10 ELSE __pintail.pg._hash('role:' || usename) END::BIGINT AS usesysid, usename, application_name, client_addr, NULL::VARCHAR AS client_hostname, client_port::INTEGER AS client_port,
       backend_start::TIMESTAMPTZ AS backend_start, xact_start::TIMESTAMPTZ AS xact_start, query_start::TIMESTAMPTZ AS query_start, state_change::TIMESTAMPTZ AS state_change,
       wait_event_type, wait_event, state, NULL::BIGINT AS backend_xid, NULL::BIGINT AS backend_xmin, NULL::BIGINT AS query_id, query, 'client backend' AS backend_type
FROM __pintail_rows('pg_stat_activity')
