CREATE OR REPLACE MACRO __pintail.pg.array_length(a, n) AS CASE WHEN n = 1 AND len(a) > 0 THEN len(a)::INTEGER END;
CREATE OR REPLACE MACRO __pintail.pg.array_upper(a, n) AS CASE WHEN n = 1 AND len(a) > 0 THEN len(a)::INTEGER END;
CREATE OR REPLACE MACRO __pintail.pg.array_lower(a, n) AS CASE WHEN n = 1 AND len(a) > 0 THEN 1 END;
CREATE OR REPLACE MACRO __pintail.pg.cardinality(a) AS len(a)::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.array_ndims(a) AS CASE WHEN len(a) > 0 THEN system.main.length(regexp_replace(typeof(a), '^.*?((\[\])+)$', '\1')) // 2 END::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.array_to_string(a, d) AS system.main.array_to_string(list_filter(a, lambda x: x IS NOT NULL), d), (a, d, n) AS system.main.array_to_string(list_transform(a, lambda x: coalesce(x::VARCHAR, n)), d);
CREATE OR REPLACE MACRO __pintail.pg.array_remove(a, e) AS list_filter(a, lambda x: x IS DISTINCT FROM e);
CREATE OR REPLACE MACRO __pintail.pg.array_replace(a, f, t) AS list_transform(a, lambda x: CASE WHEN x IS NOT DISTINCT FROM f THEN t ELSE x END);
CREATE OR REPLACE MACRO __pintail.pg.array_position(a, e) AS nullif(list_position(a, e), 0)::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.array_positions(a, e) AS list_filter(range(1, len(a) + 1), lambda i: a[i] IS NOT DISTINCT FROM e)::INTEGER[];
CREATE OR REPLACE MACRO __pintail.pg.array_fill(e, n) AS list_transform(range(n[1]), lambda i: e);
CREATE OR REPLACE MACRO __pintail.pg.trim_array(a, n) AS a[1:len(a) - n];
CREATE OR REPLACE MACRO __pintail.pg.generate_subscripts(a, n) AS unnest(range(1, len(a) + 1))::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg._num_nulls(a) AS len(list_filter(a, lambda x: x IS NULL))::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg._num_nonnulls(a) AS len(list_filter(a, lambda x: x IS NOT NULL))::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg._pg_expandarray(a) AS unnest(list_transform(range(1, len(a) + 1), lambda i: {'x': a[i], 'n': i}))
