CREATE OR REPLACE VIEW __pintail.info.role_table_grants AS SELECT * FROM __pintail.info.table_privileges
