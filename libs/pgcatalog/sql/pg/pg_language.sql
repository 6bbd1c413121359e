CREATE TABLE __pintail.pg.pg_language (
    "oid" BIGINT,
    "lanname" VARCHAR,
    "lanowner" BIGINT,
    "lanispl" BOOLEAN,
    "lanpltrusted" BOOLEAN,
    "lanplcallfoid" BIGINT,
    "laninline" BIGINT,
    "lanvalidator" BIGINT,
    "lanacl" VARCHAR[]
);
INSERT INTO __pintail.pg.pg_language VALUES
    (12, 'internal', 10, false, false, 0, 0, 2246, NULL),
    (14, 'sql', 10, false, true, 0, 0, 2248, NULL)
