-- Integer, exact and floating division; by zero 22012. Exact quotients have PostgreSQL's sixteen digits.
CREATE OR REPLACE MACRO __pintail.pg._zero() AS error('PINTAIL:22012:division by zero');
CREATE OR REPLACE MACRO __pintail.pg._ratio(n, d) AS
    (sign(n)::HUGEINT * sign(d)::HUGEINT * ((abs(n) * 20000000000000000 + abs(d)) // (abs(d) * 2)))::DECIMAL(38, 0)
    * 0.0000000000000001::DECIMAL(17, 16);
CREATE OR REPLACE MACRO __pintail.pg._div_any(a, b) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE a / b END;
CREATE OR REPLACE MACRO __pintail.pg._div
    (a SMALLINT, b SMALLINT) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE a // b END,
    (a INTEGER, b INTEGER) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE a // b END,
    (a BIGINT, b BIGINT) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE a // b END,
    (a HUGEINT, b HUGEINT) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE a // b END,
    (a FLOAT, b FLOAT) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE (a / b)::FLOAT END,
    (a DOUBLE, b DOUBLE) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE a / b END,
    (a DECIMAL(38, 10), b DECIMAL(38, 10)) AS CASE
        WHEN b = 0 THEN __pintail.pg._zero()
        WHEN abs(a) < 400000000000 THEN
            __pintail.pg._ratio((a * 10000000000)::HUGEINT, (b * 10000000000)::HUGEINT)
        ELSE (a::DOUBLE / b::DOUBLE)::DECIMAL(38, 16) END,
    (a INTERVAL, b DOUBLE) AS CASE WHEN b = 0 THEN __pintail.pg._zero() ELSE a * (1 / b) END
