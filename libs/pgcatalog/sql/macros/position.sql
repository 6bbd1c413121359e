CREATE OR REPLACE MACRO __pintail.pg._position(s, part) AS system.main.strpos(s, part)::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.strpos(s, part) AS system.main.strpos(s, part)::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.ascii(s) AS system.main.ascii(s)::INTEGER
