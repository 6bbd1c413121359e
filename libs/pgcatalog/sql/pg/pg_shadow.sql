CREATE OR REPLACE VIEW __pintail.pg.pg_shadow AS SELECT * FROM __pintail.pg.pg_user
