-- Templates that are literals are read by the transpiler; these finish its work.
CREATE OR REPLACE MACRO __pintail.pg._char(x DATE, f) AS strftime(x, f), (x TIMESTAMP, f) AS strftime(x, f), (x TIMESTAMPTZ, f) AS strftime(x::TIMESTAMP, f), (x TIME, f) AS strftime(DATE '1970-01-01' + x, f), (x INTERVAL, f) AS strftime(TIMESTAMP '1970-01-01' + x, f);
CREATE OR REPLACE MACRO __pintail.pg._number_body(x, decimals, keep_zero) AS CASE
    WHEN keep_zero OR abs(x) >= 1 THEN format('{:.' || decimals || 'f}', abs(x)::DOUBLE)
    ELSE system.main.substring(format('{:.' || decimals || 'f}', abs(x)::DOUBLE), 2) END
