CREATE OR REPLACE MACRO __pintail.pg.length(a BLOB) AS system.main.octet_length(a)::INTEGER, (a VARCHAR) AS system.main.length(a)::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.char_length(a) AS system.main.length(a::VARCHAR)::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.character_length(a) AS system.main.length(a::VARCHAR)::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.octet_length(a BLOB) AS system.main.octet_length(a)::INTEGER, (a VARCHAR) AS strlen(a)::INTEGER;
CREATE OR REPLACE MACRO __pintail.pg.bit_length(a BLOB) AS (system.main.octet_length(a) * 8)::INTEGER, (a VARCHAR) AS (strlen(a) * 8)::INTEGER
