CREATE OR REPLACE VIEW __pintail.pg.pg_index AS
SELECT conindid AS indexrelid, conrelid AS indrelid, len(conkey)::SMALLINT AS indnatts, len(conkey)::SMALLINT AS indnkeyatts, true AS indisunique, false AS indnullsnotdistinct, contype = 'p' AS indisprimary, false AS indisexclusion, true AS indimmediate, false AS indisclustered,
       true AS indisvalid, false AS indcheckxmin, true AS indisready, true AS indislive, false AS indisreplident, conkey AS indkey, list_transform(conkey, lambda x: 100::BIGINT) AS indcollation, list_transform(conkey, lambda x: 0::BIGINT) AS indclass, list_transform(conkey, lambda x: 0::SMALLINT) AS indoption, NULL::VARCHAR AS indexprs, NULL::VARCHAR AS indpred
FROM __pintail.pg.pg_constraint WHERE contype IN ('p', 'u')
