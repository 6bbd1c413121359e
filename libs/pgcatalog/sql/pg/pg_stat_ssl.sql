CREATE TABLE __pintail.pg.pg_stat_ssl (
    "pid" INTEGER,
    "ssl" BOOLEAN,
    "version" VARCHAR,
    "cipher" VARCHAR,
    "bits" INTEGER,
    "client_dn" VARCHAR,
    "client_serial" DECIMAL(38,10),
    "issuer_dn" VARCHAR
)
