-- A literal read by the type of the column it goes to: arrays and bytea have notations of their own, text has none.
CREATE OR REPLACE MACRO __pintail.pg._escape(a) AS array_to_string(list_transform(regexp_extract_all(a, '\\\\|\\[0-7]{3}|(?s:.)'), lambda x: CASE
    WHEN x = '\\' THEN '5C' WHEN starts_with(x, '\') THEN system.main.lpad(system.main.to_hex(x[2]::INTEGER * 64 + x[3]::INTEGER * 8 + x[4]::INTEGER), 2, '0')
    ELSE hex(system.main.encode(x)) END), '');
CREATE OR REPLACE MACRO __pintail.pg._items(v) AS list_transform(regexp_extract_all(regexp_replace(v, '^\{(.*)\}$', '\1', 's'), '"(?:[^"\\]|\\.)*"|[^,]+'), lambda x:
    CASE WHEN starts_with(trim(x), '"') THEN regexp_replace(system.main.substring(trim(x), 2, system.main.length(trim(x)) - 2), '\\(.)', '\1', 'g') WHEN system.main.lower(trim(x)) = 'null' THEN NULL ELSE trim(x) END);
CREATE OR REPLACE MACRO __pintail.pg._literal
    (v VARCHAR, l VARCHAR) AS v,
    (v VARCHAR, l BLOB) AS CASE WHEN starts_with(v, '\x') THEN unhex(system.main.substring(v, 3)) ELSE unhex(__pintail.pg._escape(v)) END,
    (v VARCHAR, l VARCHAR[]) AS __pintail.pg._items(v),
    (v VARCHAR, l BOOLEAN[]) AS __pintail.pg._items(v)::BOOLEAN[],
    (v VARCHAR, l SMALLINT[]) AS __pintail.pg._items(v)::SMALLINT[],
    (v VARCHAR, l INTEGER[]) AS __pintail.pg._items(v)::INTEGER[],
    (v VARCHAR, l BIGINT[]) AS __pintail.pg._items(v)::BIGINT[],
    (v VARCHAR, l DOUBLE[]) AS __pintail.pg._items(v)::DOUBLE[],
    (v VARCHAR, l DATE[]) AS __pintail.pg._items(v)::DATE[],
    (v VARCHAR, l TIMESTAMP[]) AS __pintail.pg._items(v)::TIMESTAMP[],
    (v VARCHAR, l UUID[]) AS __pintail.pg._items(v)::UUID[],
    (v VARCHAR, l VARCHAR[][]) AS list_transform(regexp_extract_all(system.main.substring(v, 2, system.main.length(v) - 2), '\{[^}]*\}'), lambda x: __pintail.pg._items(x)),
    (v VARCHAR, l INTEGER[][]) AS list_transform(regexp_extract_all(system.main.substring(v, 2, system.main.length(v) - 2), '\{[^}]*\}'), lambda x: __pintail.pg._items(x)::INTEGER[]),
    (v, l) AS v
