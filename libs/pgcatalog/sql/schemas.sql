ATTACH IF NOT EXISTS ':memory:' AS "__pintail_session";
CREATE SCHEMA IF NOT EXISTS "__pintail".pg;
CREATE SCHEMA IF NOT EXISTS "__pintail".info;
USE "__pintail".pg;
CREATE OR REPLACE VIEW __pintail_session.main.constraints AS SELECT NULL::VARCHAR AS constraint_id, NULL::VARCHAR AS schema_name, NULL::VARCHAR AS table_name, NULL::VARCHAR AS constraint_name, NULL::VARCHAR AS constraint_type, NULL::VARCHAR[] AS column_names, NULL::VARCHAR AS definition, NULL::VARCHAR AS ref_schema, NULL::VARCHAR AS ref_table, NULL::VARCHAR[] AS ref_columns WHERE false
