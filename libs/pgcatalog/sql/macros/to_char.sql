-- Templates that are literals are read by the transpiler; these finish its work.
CREATE OR REPLACE MACRO __pintail.pg._char(x, f) AS strftime(x, f);
CREATE OR REPLACE MACRO __pintail.pg._part_text(f, x) AS system.main.date_part(f, x)::VARCHAR;
CREATE OR REPLACE MACRO __pintail.pg._number_digits(x, decimals, grouped) AS CASE WHEN grouped = 1 THEN format('{:,.' || decimals || 'f}', system.main.round(abs(x)::DOUBLE, decimals)) ELSE format('{:.' || decimals || 'f}', system.main.round(abs(x)::DOUBLE, decimals)) END;
CREATE OR REPLACE MACRO __pintail.pg._number_text(x, decimals, grouped, zeros) AS CASE
    WHEN zeros > 0 THEN system.main.lpad(__pintail.pg._number_digits(x, decimals, grouped), greatest(system.main.length(__pintail.pg._number_digits(x, decimals, grouped)), zeros + CASE WHEN decimals > 0 THEN decimals + 1 ELSE 0 END)::INTEGER, '0')
    WHEN abs(x) < 1 AND decimals > 0 THEN system.main.substring(__pintail.pg._number_digits(x, decimals, grouped), 2)
    ELSE __pintail.pg._number_digits(x, decimals, grouped) END;
CREATE OR REPLACE MACRO __pintail.pg._number_signed(x, body, width, prefix) AS CASE
    WHEN x IS NULL THEN NULL
    WHEN width = 0 THEN CASE WHEN x < 0 THEN '-' ELSE '' END || prefix || body
    WHEN system.main.length(body) > width - 1 THEN CASE WHEN x < 0 THEN '-' ELSE ' ' END || prefix || repeat('#', (width - 1)::BIGINT)
    ELSE system.main.lpad(CASE WHEN x < 0 THEN '-' ELSE ' ' END || prefix || body, (width + system.main.length(prefix))::INTEGER, ' ') END;
CREATE OR REPLACE MACRO __pintail.pg._to_number(s) AS regexp_replace(s, '[^0-9.\-]', '', 'g')::DECIMAL(38, 10)
