CREATE OR REPLACE VIEW __pintail.info.information_schema_catalog_name AS SELECT __pintail.pg._catalog() AS catalog_name
