CREATE OR REPLACE MACRO __pintail.pg.date_bin(stride, x, origin) AS time_bucket(stride, x, origin)
