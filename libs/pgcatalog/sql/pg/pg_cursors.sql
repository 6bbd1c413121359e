CREATE TABLE __pintail.pg.pg_cursors (
    "name" VARCHAR,
    "statement" VARCHAR,
    "is_holdable" BOOLEAN,
    "is_binary" BOOLEAN,
    "is_scrollable" BOOLEAN,
    "creation_time" TIMESTAMPTZ
)
