CREATE OR REPLACE VIEW __pintail.pg.pg_stat_all_tables AS SELECT * FROM __pintail.pg.pg_stat_user_tables
