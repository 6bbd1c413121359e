-- extract() is numeric, date_part() double precision.
CREATE OR REPLACE MACRO __pintail.pg._extract(f, x) AS system.main.date_part(f, x)::DECIMAL(20, 0);
CREATE OR REPLACE MACRO __pintail.pg._extract_second(x) AS (system.main.date_part('microseconds', x)::DECIMAL(12, 0) * 0.000001::DECIMAL(7, 6))::DECIMAL(14, 6);
CREATE OR REPLACE MACRO __pintail.pg._extract_millisecond(x) AS (system.main.date_part('microseconds', x)::DECIMAL(12, 0) * 0.001::DECIMAL(4, 3))::DECIMAL(14, 3);
CREATE OR REPLACE MACRO __pintail.pg._extract_epoch(x) AS (epoch_us(x)::DECIMAL(24, 0) * 0.000001::DECIMAL(7, 6))::DECIMAL(30, 6);
CREATE OR REPLACE MACRO __pintail.pg._extract_julian(x) AS system.main.julian(x)::DECIMAL(24, 6);
CREATE OR REPLACE MACRO __pintail.pg.date_part(f, x) AS CASE system.main.lower(f)
    WHEN 'second' THEN system.main.date_part('microseconds', x)::DOUBLE / 1000000
    WHEN 'seconds' THEN system.main.date_part('microseconds', x)::DOUBLE / 1000000
    WHEN 'milliseconds' THEN system.main.date_part('microseconds', x)::DOUBLE / 1000
    WHEN 'epoch' THEN epoch(x)::DOUBLE
    ELSE system.main.date_part(f, x)::DOUBLE END
