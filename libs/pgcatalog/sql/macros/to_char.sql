-- Templates that are literals are read by the transpiler; these finish its work.
CREATE OR REPLACE MACRO __pintail.pg._char(x, f) AS strftime(x, f);
CREATE OR REPLACE MACRO __pintail.pg._number_body(x, decimals, keep_zero) AS CASE
    WHEN keep_zero OR abs(x) >= 1 THEN format('{:.' || decimals || 'f}', abs(x)::DOUBLE)
    ELSE system.main.substring(format('{:.' || decimals || 'f}', abs(x)::DOUBLE), 2) END
