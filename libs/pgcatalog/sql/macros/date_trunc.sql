CREATE OR REPLACE MACRO __pintail.pg.date_trunc
    (f, x) AS system.main.date_trunc(f, x),
    (f, x, z) AS timezone(z, system.main.date_trunc(f, timezone(z, x)))
