-- sum(int2, int4) is int8, sum(int8) numeric.
CREATE OR REPLACE MACRO __pintail.pg._sum_arg(a SMALLINT) AS a, (a INTEGER) AS a, (a BIGINT) AS a::DECIMAL(38, 0), (a) AS a;
CREATE OR REPLACE MACRO __pintail.pg._sum(a HUGEINT) AS a::BIGINT, (a) AS a
