-- Text in hex notation, or else its own bytes, as bytea; bytea as it is.
CREATE OR REPLACE MACRO __pintail.pg._bytea
    (a BLOB) AS a,
    (a VARCHAR) AS CASE WHEN starts_with(a, '\x') THEN unhex(system.main.substring(a, 3)) ELSE system.main.encode(a) END
