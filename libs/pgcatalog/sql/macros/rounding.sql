-- Results are numeric for exact numbers and double precision for integers, as PostgreSQL's overloads say.
CREATE OR REPLACE MACRO __pintail.pg.sign(a DOUBLE) AS system.main.sign(a)::DOUBLE;
CREATE OR REPLACE MACRO __pintail.pg.ceil(a BIGINT) AS a::DOUBLE, (a) AS system.main.ceil(a);
CREATE OR REPLACE MACRO __pintail.pg.ceiling(a BIGINT) AS a::DOUBLE, (a) AS system.main.ceil(a);
CREATE OR REPLACE MACRO __pintail.pg.floor(a BIGINT) AS a::DOUBLE, (a) AS system.main.floor(a);
CREATE OR REPLACE MACRO __pintail.pg.round(a BIGINT) AS a::DOUBLE, (a) AS system.main.round(a), (a, n) AS system.main.round(a, n);
CREATE OR REPLACE MACRO __pintail.pg.trunc(a BIGINT) AS a::DOUBLE, (a) AS system.main.trunc(a), (a, n) AS system.main.trunc(a, n)
