-- Starts before the first character count against the length; a text where the start belongs is a regular expression.
CREATE OR REPLACE MACRO __pintail.pg._from(s, start) AS system.main.substring(s, greatest(start, 1)::BIGINT);
CREATE OR REPLACE MACRO __pintail.pg._from_for(s, start, n) AS CASE
    WHEN n < 0 THEN error('PINTAIL:22011:negative substring length not allowed')
    WHEN start < 1 THEN system.main.substring(s, 1, greatest(start::BIGINT + n - 1, 0)::BIGINT)
    ELSE system.main.substring(s, start::BIGINT, n::BIGINT) END;
CREATE OR REPLACE MACRO __pintail.pg._substring_match(s, p, g) AS CASE WHEN system.main.regexp_matches(s, p) THEN CASE g WHEN 1 THEN regexp_extract(s, p, 1) ELSE regexp_extract(s, p, 0) END END;
CREATE OR REPLACE MACRO __pintail.pg._substring(s, start BIGINT) AS __pintail.pg._from(s, start), (s, pattern VARCHAR) AS nullif(regexp_extract(s, pattern, 0), ''), (s, start, n) AS __pintail.pg._from_for(s, start, n);
CREATE OR REPLACE MACRO __pintail.pg.substring(s, start BIGINT) AS __pintail.pg._from(s, start), (s, pattern VARCHAR) AS nullif(regexp_extract(s, pattern, 0), ''), (s, start, n) AS __pintail.pg._from_for(s, start, n);
CREATE OR REPLACE MACRO __pintail.pg.substr(s, start) AS __pintail.pg._from(s, start), (s, start, n) AS __pintail.pg._from_for(s, start, n)
