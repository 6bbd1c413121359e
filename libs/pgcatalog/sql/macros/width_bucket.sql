CREATE OR REPLACE MACRO __pintail.pg.width_bucket(x, lo, hi, n) AS CASE
    WHEN lo < hi AND x < lo THEN 0
    WHEN lo < hi AND x >= hi THEN n + 1
    WHEN lo > hi AND x > lo THEN 0
    WHEN lo > hi AND x <= hi THEN n + 1
    ELSE system.main.floor((x - lo)::DOUBLE / (hi - lo)::DOUBLE * n)::INTEGER + 1 END
