CREATE OR REPLACE MACRO __pintail.pg.encode
    (b BLOB, f VARCHAR) AS CASE system.main.lower(f)
        WHEN 'hex' THEN system.main.lower(hex(b))
        WHEN 'base64' THEN base64(b)
        WHEN 'escape' THEN b::VARCHAR
        ELSE error('PINTAIL:22023:unrecognized encoding: "' || f || '"') END,
    (s VARCHAR) AS system.main.encode(s);
CREATE OR REPLACE MACRO __pintail.pg.decode
    (s VARCHAR, f VARCHAR) AS CASE system.main.lower(f)
        WHEN 'hex' THEN unhex(s)
        WHEN 'base64' THEN from_base64(s)
        WHEN 'escape' THEN __pintail.pg._bytea(s)
        ELSE error('PINTAIL:22023:unrecognized encoding: "' || f || '"') END,
    (b BLOB) AS system.main.decode(b);
CREATE OR REPLACE MACRO __pintail.pg.to_hex(a) AS system.main.lower(system.main.to_hex(a));
CREATE OR REPLACE MACRO __pintail.pg.convert_from(b, e) AS system.main.decode(b);
CREATE OR REPLACE MACRO __pintail.pg.convert_to(s, e) AS system.main.encode(s);
CREATE OR REPLACE MACRO __pintail.pg.chr(n) AS CASE
    WHEN n > 0 THEN system.main.chr(n)
    WHEN n = 0 THEN error('PINTAIL:54000:null character not permitted')
    WHEN n < 0 THEN error('PINTAIL:54000:character number must be positive') END
