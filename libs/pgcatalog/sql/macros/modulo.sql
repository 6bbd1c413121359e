-- Remainder; by zero 22012.
CREATE OR REPLACE MACRO __pintail.pg._mod(a, b) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE a % b END;
CREATE OR REPLACE MACRO __pintail.pg.mod(a, b) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE a % b END;
CREATE OR REPLACE MACRO __pintail.pg.div(a, b) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE system.main.trunc(a / b)::DECIMAL(38, 0) END
