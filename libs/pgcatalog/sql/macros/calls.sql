-- Functions that the control plane carries out, and sleep, which the instance does. Results of nothing are empty texts.
CREATE OR REPLACE MACRO __pintail.pg.pg_sleep(seconds) AS __pintail_call('pg_sleep', seconds::DOUBLE::VARCHAR);
CREATE OR REPLACE MACRO __pintail.pg.pg_sleep_for(i) AS __pintail_call('pg_sleep', epoch(i::INTERVAL)::VARCHAR);
CREATE OR REPLACE MACRO __pintail.pg.pg_sleep_until(t) AS __pintail_call('pg_sleep_until', epoch(t::TIMESTAMPTZ)::VARCHAR);
CREATE OR REPLACE MACRO __pintail.pg.pg_cancel_backend(pid) AS __pintail_call('pg_cancel_backend', pid::INTEGER::VARCHAR)::BOOLEAN;
CREATE OR REPLACE MACRO __pintail.pg.pg_terminate_backend(pid) AS __pintail_call('pg_terminate_backend', pid::INTEGER::VARCHAR, '0')::BOOLEAN, (pid, t) AS __pintail_call('pg_terminate_backend', pid::INTEGER::VARCHAR, t::BIGINT::VARCHAR)::BOOLEAN;
CREATE OR REPLACE MACRO __pintail.pg.pg_notify(channel, payload) AS __pintail_call('pg_notify', channel::VARCHAR, payload::VARCHAR);
CREATE OR REPLACE MACRO __pintail.pg.pg_advisory_lock(k) AS __pintail_call('pg_advisory_lock', k::BIGINT::VARCHAR), (a, b) AS __pintail_call('pg_advisory_lock', a::INTEGER::VARCHAR, b::INTEGER::VARCHAR);
CREATE OR REPLACE MACRO __pintail.pg.pg_advisory_lock_shared(k) AS __pintail_call('pg_advisory_lock_shared', k::BIGINT::VARCHAR), (a, b) AS __pintail_call('pg_advisory_lock_shared', a::INTEGER::VARCHAR, b::INTEGER::VARCHAR);
CREATE OR REPLACE MACRO __pintail.pg.pg_advisory_xact_lock(k) AS __pintail_call('pg_advisory_xact_lock', k::BIGINT::VARCHAR), (a, b) AS __pintail_call('pg_advisory_xact_lock', a::INTEGER::VARCHAR, b::INTEGER::VARCHAR);
CREATE OR REPLACE MACRO __pintail.pg.pg_advisory_xact_lock_shared(k) AS __pintail_call('pg_advisory_xact_lock_shared', k::BIGINT::VARCHAR), (a, b) AS __pintail_call('pg_advisory_xact_lock_shared', a::INTEGER::VARCHAR, b::INTEGER::VARCHAR);
CREATE OR REPLACE MACRO __pintail.pg.pg_try_advisory_lock(k) AS __pintail_call('pg_try_advisory_lock', k::BIGINT::VARCHAR)::BOOLEAN, (a, b) AS __pintail_call('pg_try_advisory_lock', a::INTEGER::VARCHAR, b::INTEGER::VARCHAR)::BOOLEAN;
CREATE OR REPLACE MACRO __pintail.pg.pg_try_advisory_lock_shared(k) AS __pintail_call('pg_try_advisory_lock_shared', k::BIGINT::VARCHAR)::BOOLEAN, (a, b) AS __pintail_call('pg_try_advisory_lock_shared', a::INTEGER::VARCHAR, b::INTEGER::VARCHAR)::BOOLEAN;
CREATE OR REPLACE MACRO __pintail.pg.pg_try_advisory_xact_lock(k) AS __pintail_call('pg_try_advisory_xact_lock', k::BIGINT::VARCHAR)::BOOLEAN, (a, b) AS __pintail_call('pg_try_advisory_xact_lock', a::INTEGER::VARCHAR, b::INTEGER::VARCHAR)::BOOLEAN;
CREATE OR REPLACE MACRO __pintail.pg.pg_try_advisory_xact_lock_shared(k) AS __pintail_call('pg_try_advisory_xact_lock_shared', k::BIGINT::VARCHAR)::BOOLEAN, (a, b) AS __pintail_call('pg_try_advisory_xact_lock_shared', a::INTEGER::VARCHAR, b::INTEGER::VARCHAR)::BOOLEAN;
CREATE OR REPLACE MACRO __pintail.pg.pg_advisory_unlock(k) AS __pintail_call('pg_advisory_unlock', k::BIGINT::VARCHAR)::BOOLEAN, (a, b) AS __pintail_call('pg_advisory_unlock', a::INTEGER::VARCHAR, b::INTEGER::VARCHAR)::BOOLEAN;
CREATE OR REPLACE MACRO __pintail.pg.pg_advisory_unlock_shared(k) AS __pintail_call('pg_advisory_unlock_shared', k::BIGINT::VARCHAR)::BOOLEAN, (a, b) AS __pintail_call('pg_advisory_unlock_shared', a::INTEGER::VARCHAR, b::INTEGER::VARCHAR)::BOOLEAN;
CREATE OR REPLACE MACRO __pintail.pg.pg_advisory_unlock_all() AS __pintail_call('pg_advisory_unlock_all');
CREATE OR REPLACE MACRO __pintail.pg._listening_channels() AS (SELECT coalesce(list(channel), []::VARCHAR[]) FROM __pintail_rows('pg_listening_channels'));
CREATE OR REPLACE MACRO __pintail.pg.pg_listening_channels() AS TABLE SELECT channel AS pg_listening_channels FROM __pintail_rows('pg_listening_channels')
