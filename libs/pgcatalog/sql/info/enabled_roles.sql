CREATE OR REPLACE VIEW __pintail.info.enabled_roles AS SELECT __pintail.pg._user() AS role_name
