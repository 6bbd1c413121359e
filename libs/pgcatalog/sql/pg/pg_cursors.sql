CREATE OR REPLACE VIEW __pintail.pg.pg_cursors AS
SELECT "name", "statement", is_holdable::BOOLEAN AS is_holdable, is_binary::BOOLEAN AS is_binary, is_scrollable::BOOLEAN AS is_scrollable, creation_time::TIMESTAMPTZ AS creation_time
FROM __pintail_rows('pg_cursors')
