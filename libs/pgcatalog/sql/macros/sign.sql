-- double precision for every argument.
CREATE OR REPLACE MACRO __pintail.pg.sign(a) AS system.main.sign(a)::DOUBLE;
CREATE OR REPLACE MACRO __pintail.pg.ceiling(a) AS system.main.ceil(a)
