CREATE OR REPLACE MACRO __pintail.pg.lpad(s, n) AS system.main.lpad(s, n::INTEGER, ' '), (s, n, fill) AS system.main.lpad(s, n::INTEGER, fill);
CREATE OR REPLACE MACRO __pintail.pg.rpad(s, n) AS system.main.rpad(s, n::INTEGER, ' '), (s, n, fill) AS system.main.rpad(s, n::INTEGER, fill);
CREATE OR REPLACE MACRO __pintail.pg._pad_left(s, n) AS CASE WHEN system.main.length(s) >= n THEN s ELSE system.main.lpad(s, n, ' ') END;
CREATE OR REPLACE MACRO __pintail.pg._pad_right(s, n) AS CASE WHEN system.main.length(s) >= n THEN s ELSE system.main.rpad(s, n, ' ') END;
CREATE OR REPLACE MACRO __pintail.pg.btrim(s) AS system.main.trim(s, ' '), (s, what) AS system.main.trim(s, what)
