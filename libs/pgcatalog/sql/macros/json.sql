CREATE OR REPLACE MACRO __pintail.pg._spaced(j) AS replace(replace(replace(regexp_replace(j, '("(?:[^"\\]|\\.)*"|[^":,]+)([:,]?)', '\1\2' || chr(1), 'g'), ':' || chr(1), ': '), ',' || chr(1), ', '), chr(1), '');
CREATE OR REPLACE MACRO __pintail.pg._jsonb(j) AS __pintail.pg._spaced(json(j::JSON)::VARCHAR)::JSON;
CREATE OR REPLACE MACRO __pintail.pg._json_key(k) AS '$."' || replace(k::VARCHAR, '"', '\"') || '"';
CREATE OR REPLACE MACRO __pintail.pg._json_get(j, k) AS json_extract(j::JSON, __pintail.pg._json_key(k));
CREATE OR REPLACE MACRO __pintail.pg._json_text(j, k) AS json_extract_string(j::JSON, __pintail.pg._json_key(k));
CREATE OR REPLACE MACRO __pintail.pg._json_index(k) AS '$[' || CASE WHEN k < 0 THEN '#' || k ELSE k::VARCHAR END || ']';
CREATE OR REPLACE MACRO __pintail.pg._json_item(j, k) AS json_extract(j::JSON, __pintail.pg._json_index(k));
CREATE OR REPLACE MACRO __pintail.pg._json_item_text(j, k) AS json_extract_string(j::JSON, __pintail.pg._json_index(k));
CREATE OR REPLACE MACRO __pintail.pg._json_steps(p) AS '$' || array_to_string(list_transform(p, lambda x: CASE WHEN regexp_full_match(x, '[0-9]+') THEN '[' || x || ']' WHEN regexp_full_match(x, '-[0-9]+') THEN '[#' || x || ']' ELSE '."' || replace(x, '"', '\"') || '"' END), '');
CREATE OR REPLACE MACRO __pintail.pg._json_path(j, p) AS json_extract(j::JSON, __pintail.pg._json_steps(p));
CREATE OR REPLACE MACRO __pintail.pg._json_path_text(j, p) AS json_extract_string(j::JSON, __pintail.pg._json_steps(p));
CREATE OR REPLACE MACRO __pintail.pg._json_contains(a, b) AS json_contains(a::JSON, b::JSON);
CREATE OR REPLACE MACRO __pintail.pg._json_has(j, k) AS CASE json_type(j::JSON) WHEN 'ARRAY' THEN list_contains(json_extract_string(j::JSON, '$[*]'), k) ELSE json_exists(j::JSON, __pintail.pg._json_key(k)) END;
CREATE OR REPLACE MACRO __pintail.pg._json_has_any(j, p) AS len(list_filter(p, lambda k: json_exists(j::JSON, __pintail.pg._json_key(k)))) > 0;
CREATE OR REPLACE MACRO __pintail.pg._json_has_all(j, p) AS len(list_filter(p, lambda k: NOT json_exists(j::JSON, __pintail.pg._json_key(k)))) = 0;
CREATE OR REPLACE MACRO __pintail.pg._json_pairs(keys, j) AS __pintail.pg._jsonb('{' || array_to_string(list_transform(keys, lambda k: to_json(k)::VARCHAR || ':' || json_extract(j::JSON, __pintail.pg._json_key(k))::VARCHAR), ',') || '}');
CREATE OR REPLACE MACRO __pintail.pg._json_delete_item(j, k) AS __pintail.pg._jsonb(to_json(list_filter(json_extract(j::JSON, '$[*]'), lambda x, i: i <> CASE WHEN k < 0 THEN system.main.json_array_length(j::JSON)::BIGINT + k ELSE k END + 1)));
CREATE OR REPLACE MACRO __pintail.pg._json_delete(j, k) AS CASE json_type(j::JSON)
    WHEN 'ARRAY' THEN __pintail.pg._jsonb(to_json(list_filter(json_extract(j::JSON, '$[*]'), lambda x: (x ->> '$') <> k)))
    ELSE __pintail.pg._json_pairs(list_filter(json_keys(j::JSON), lambda x: x <> k), j) END;
CREATE OR REPLACE MACRO __pintail.pg._json_delete_path(j, p) AS CASE WHEN len(p) = 1 THEN __pintail.pg._json_delete(j, p[1]) ELSE error('PINTAIL:0A000:the operator #- is supported for one step only') END;
CREATE OR REPLACE MACRO __pintail.pg._json_items(j) AS CASE json_type(j::JSON) WHEN 'ARRAY' THEN json_extract(j::JSON, '$[*]') ELSE [j::JSON] END;
CREATE OR REPLACE MACRO __pintail.pg._jsonb_concat(a, b) AS CASE
    WHEN a IS NULL OR b IS NULL THEN NULL
    WHEN json_type(a::JSON) = 'OBJECT' AND json_type(b::JSON) = 'OBJECT' THEN __pintail.pg._jsonb('{' || array_to_string(list_transform(
        list_concat(list_filter(json_keys(a::JSON), lambda k: NOT list_contains(json_keys(b::JSON), k)), json_keys(b::JSON)),
        lambda k: to_json(k)::VARCHAR || ':' || CASE WHEN json_exists(b::JSON, __pintail.pg._json_key(k)) THEN json_extract(b::JSON, __pintail.pg._json_key(k)) ELSE json_extract(a::JSON, __pintail.pg._json_key(k)) END::VARCHAR), ',') || '}')
    ELSE __pintail.pg._jsonb('[' || array_to_string(list_transform(list_concat(__pintail.pg._json_items(a)::JSON[], __pintail.pg._json_items(b)::JSON[]), lambda x: x::VARCHAR), ',') || ']') END;
CREATE OR REPLACE MACRO __pintail.pg._json_member(k, v) AS to_json(k::VARCHAR)::VARCHAR || ' : ' || coalesce(to_json(v)::VARCHAR, 'null');
CREATE OR REPLACE MACRO __pintail.pg._json_object(l) AS ('{' || array_to_string(l, ', ') || '}')::JSON;
CREATE OR REPLACE MACRO __pintail.pg._jsonb_object(l) AS __pintail.pg._jsonb('{' || array_to_string(l, ', ') || '}');
CREATE OR REPLACE MACRO __pintail.pg._json_value(v) AS coalesce(to_json(v)::VARCHAR, 'null');
CREATE OR REPLACE MACRO __pintail.pg._json_array(l) AS ('[' || array_to_string(l, ', ') || ']')::JSON;
CREATE OR REPLACE MACRO __pintail.pg._jsonb_array(l) AS __pintail.pg._jsonb('[' || array_to_string(l, ',') || ']');
CREATE OR REPLACE MACRO __pintail.pg._json_elements(j) AS json_extract(j::JSON, '$[*]');
CREATE OR REPLACE MACRO __pintail.pg._json_elements_text(j) AS json_extract_string(j::JSON, '$[*]');
CREATE OR REPLACE MACRO __pintail.pg._json_list(l) AS ('[' || array_to_string(list_transform(l, lambda x: coalesce(to_json(x)::VARCHAR, 'null')), ', ') || ']')::JSON;
CREATE OR REPLACE MACRO __pintail.pg._jsonb_list(l) AS __pintail.pg._jsonb(to_json(l));
CREATE OR REPLACE MACRO __pintail.pg._jsonb_set(j, p, v) AS CASE
    WHEN len(p) = 1 AND json_type(j::JSON) = 'OBJECT' THEN __pintail.pg._jsonb_concat(j, ('{' || to_json(p[1])::VARCHAR || ':' || v::JSON::VARCHAR || '}')::JSON)
    WHEN len(p) = 2 AND json_type(j::JSON) = 'OBJECT' THEN __pintail.pg._jsonb_concat(j, ('{' || to_json(p[1])::VARCHAR || ':' || __pintail.pg._jsonb_concat(json_extract(j::JSON, __pintail.pg._json_key(p[1])), ('{' || to_json(p[2])::VARCHAR || ':' || v::JSON::VARCHAR || '}')::JSON)::VARCHAR || '}')::JSON)
    ELSE error('PINTAIL:0A000:jsonb_set is supported for objects and paths of at most two steps') END;
CREATE OR REPLACE MACRO __pintail.pg.jsonb_set(j, p, v) AS __pintail.pg._jsonb_set(j, p, v), (j, p, v, missing) AS __pintail.pg._jsonb_set(j, p, v);
CREATE OR REPLACE MACRO __pintail.pg.json_typeof(j) AS CASE json_type(j::JSON) WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null' ELSE CASE WHEN j IS NULL THEN NULL ELSE 'number' END END;
CREATE OR REPLACE MACRO __pintail.pg.jsonb_typeof(j) AS __pintail.pg.json_typeof(j);
CREATE OR REPLACE MACRO __pintail.pg.json_array_length(j) AS system.main.json_array_length(j::JSON)::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.jsonb_array_length(j) AS system.main.json_array_length(j::JSON)::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.json_object_keys(j) AS unnest(json_keys(j::JSON));
CREATE OR REPLACE MACRO __pintail.pg.jsonb_object_keys(j) AS unnest(json_keys(j::JSON));
CREATE OR REPLACE MACRO __pintail.pg.jsonb_pretty(j) AS json_pretty(j::JSON);
CREATE OR REPLACE MACRO __pintail.pg.json_strip_nulls(j) AS j::JSON;
CREATE OR REPLACE MACRO __pintail.pg._json_each(j) AS TABLE SELECT key, value FROM json_each(j::JSON);
CREATE OR REPLACE MACRO __pintail.pg._jsonb_each(j) AS TABLE SELECT key, value FROM json_each(j::JSON);
CREATE OR REPLACE MACRO __pintail.pg._json_each_text(j) AS TABLE SELECT key, value ->> '$' AS value FROM json_each(j::JSON);
CREATE OR REPLACE MACRO __pintail.pg._jsonb_each_text(j) AS TABLE SELECT key, value ->> '$' AS value FROM json_each(j::JSON);
CREATE OR REPLACE MACRO __pintail.pg.json_array_elements(j) AS TABLE SELECT unnest(json_extract(j::JSON, '$[*]')) AS value;
CREATE OR REPLACE MACRO __pintail.pg.jsonb_array_elements(j) AS TABLE SELECT unnest(json_extract(j::JSON, '$[*]')) AS value;
CREATE OR REPLACE MACRO __pintail.pg.json_array_elements_text(j) AS TABLE SELECT unnest(json_extract_string(j::JSON, '$[*]')) AS value;
CREATE OR REPLACE MACRO __pintail.pg.jsonb_array_elements_text(j) AS TABLE SELECT unnest(json_extract_string(j::JSON, '$[*]')) AS value
