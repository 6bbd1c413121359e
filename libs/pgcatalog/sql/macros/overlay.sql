CREATE OR REPLACE MACRO __pintail.pg._overlay
    (s, what, start) AS system.main.left(s, start - 1) || what || system.main.substring(s, start + system.main.length(what)),
    (s, what, start, n) AS system.main.left(s, start - 1) || what || system.main.substring(s, start + n);
CREATE OR REPLACE MACRO __pintail.pg.overlay
    (s, what, start) AS __pintail.pg._overlay(s, what, start),
    (s, what, start, n) AS __pintail.pg._overlay(s, what, start, n)
