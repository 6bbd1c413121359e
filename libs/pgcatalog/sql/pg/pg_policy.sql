CREATE TABLE __pintail.pg.pg_policy (
    "oid" BIGINT,
    "polname" VARCHAR,
    "polrelid" BIGINT,
    "polcmd" VARCHAR,
    "polpermissive" BOOLEAN,
    "polroles" BIGINT[],
    "polqual" VARCHAR,
    "polwithcheck" VARCHAR
)
