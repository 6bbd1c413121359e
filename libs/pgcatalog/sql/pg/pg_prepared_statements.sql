CREATE OR REPLACE VIEW __pintail.pg.pg_prepared_statements AS
SELECT "name", "statement", prepare_time::TIMESTAMPTZ AS prepare_time,
       CASE WHEN parameter_types = '' THEN []::VARCHAR[] ELSE list_transform(string_split(parameter_types, ','), lambda o: __pintail.pg.format_type(o::BIGINT, NULL::INTEGER)) END AS parameter_types,
       from_sql::BOOLEAN AS from_sql, 0::BIGINT AS generic_plans, 0::BIGINT AS custom_plans
FROM __pintail_rows('pg_prepared_statements')
