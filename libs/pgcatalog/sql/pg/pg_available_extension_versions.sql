CREATE TABLE __pintail.pg.pg_available_extension_versions (
    "name" VARCHAR,
    "version" VARCHAR,
    "installed" BOOLEAN,
    "superuser" BOOLEAN,
    "trusted" BOOLEAN,
    "relocatable" BOOLEAN,
    "schema" VARCHAR,
    "requires" VARCHAR[],
    "comment" VARCHAR
)
