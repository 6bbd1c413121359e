-- A view's query, without the CREATE VIEW around it.
CREATE OR REPLACE MACRO __pintail.pg._view_definition(s) AS regexp_replace(s, '(?s)^CREATE (?:OR REPLACE )?(?:TEMP(?:ORARY)? )?VIEW .*? AS ', ' ')
