-- avg of exact numbers is numeric with sixteen digits.
CREATE OR REPLACE MACRO __pintail.pg._avg
    (s HUGEINT, c BIGINT) AS CASE
        WHEN c = 0 THEN NULL
        WHEN abs(s) < 4000000000000000000000 THEN __pintail.pg._ratio(s, c::HUGEINT)
        ELSE (s::DOUBLE / c)::DECIMAL(38, 16) END,
    (s DECIMAL(38, 10), c BIGINT) AS CASE
        WHEN c = 0 THEN NULL
        WHEN abs(s) < 400000000000 THEN
            __pintail.pg._ratio((s * 10000000000)::HUGEINT, c::HUGEINT * 10000000000)
        ELSE (s::DOUBLE / c)::DECIMAL(38, 16) END,
    (s DOUBLE, c BIGINT) AS CASE WHEN c = 0 THEN NULL ELSE s / c END,
    (s INTERVAL, c BIGINT) AS CASE WHEN c = 0 THEN NULL ELSE to_microseconds((epoch_us(s) / c)::BIGINT) END
