-- Patterns made at run time: PostgreSQL's word boundaries in the engine's notation.
CREATE OR REPLACE MACRO __pintail.pg._regex(p, o) AS o || regexp_replace(p, '\\[mMy]', '\\b', 'g');
CREATE OR REPLACE MACRO __pintail.pg._similar(p) AS '(?s)^(?:' || replace(replace(replace(p, '.', '\.'), '%', '.*'), '_', '.') || ')$';
CREATE OR REPLACE MACRO __pintail.pg._match(s, p) AS system.main.regexp_matches(s::VARCHAR, p);
CREATE OR REPLACE MACRO __pintail.pg._groups(s, p) AS CASE
    WHEN NOT system.main.regexp_matches(s, p) THEN NULL
    WHEN NOT system.main.regexp_matches(p, '(^|[^\\])\([^?]') THEN [regexp_extract(s, p, 0)]
    ELSE list_transform(
        range(1, 1 + len(regexp_extract_all(regexp_replace(p, '\\.', '', 'g'), '\((?:[^?]|\?P?<)'))),
        lambda i: CASE i WHEN 1 THEN regexp_extract(s, p, 1) WHEN 2 THEN regexp_extract(s, p, 2)
            WHEN 3 THEN regexp_extract(s, p, 3) WHEN 4 THEN regexp_extract(s, p, 4) ELSE regexp_extract(s, p, 5) END) END;
CREATE OR REPLACE MACRO __pintail.pg._flagged(p, f) AS '(?' || replace(replace(f, 'g', ''), 'n', '') || 's)' || p;
CREATE OR REPLACE MACRO __pintail.pg.regexp_match(s, p) AS __pintail.pg._groups(s, p), (s, p, f) AS __pintail.pg._groups(s, __pintail.pg._flagged(p, f));
CREATE OR REPLACE MACRO __pintail.pg._all_matches(s, p, f) AS CASE
    WHEN system.main.strpos(f, 'g') = 0 THEN CASE WHEN system.main.regexp_matches(s, p) THEN [__pintail.pg._groups(s, p)] ELSE [] END
    ELSE list_transform(regexp_extract_all(s, p, 0), lambda m: __pintail.pg._groups(m, p)) END;
CREATE OR REPLACE MACRO __pintail.pg.regexp_matches(s, p) AS unnest(__pintail.pg._all_matches(s, p, '')), (s, p, f) AS unnest(__pintail.pg._all_matches(s, p, f));
CREATE OR REPLACE MACRO __pintail.pg.regexp_split_to_table(s, p) AS unnest(regexp_split_to_array(s, p));
CREATE OR REPLACE MACRO __pintail.pg.regexp_like(s, p) AS system.main.regexp_matches(s, p, 's'), (s, p, f) AS system.main.regexp_matches(s, '(?' || f || 's)' || p);
CREATE OR REPLACE MACRO __pintail.pg.regexp_count(s, p) AS len(regexp_extract_all(s, p))::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.regexp_substr(s, p) AS nullif(regexp_extract(s, p, 0), '');
CREATE OR REPLACE MACRO __pintail.pg.string_to_table(s, d) AS unnest(string_split(s, d))
