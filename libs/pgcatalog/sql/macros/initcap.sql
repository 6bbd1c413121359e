CREATE OR REPLACE MACRO __pintail.pg.initcap(s) AS array_to_string(list_transform(
    regexp_extract_all(s, '[\p{L}\p{N}]+|[^\p{L}\p{N}]+'),
    lambda w: system.main.upper(system.main.left(w, 1)) || system.main.lower(system.main.substring(w, 2))), '')
