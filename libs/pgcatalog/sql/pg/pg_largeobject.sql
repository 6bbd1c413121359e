CREATE TABLE __pintail.pg.pg_largeobject (
    "loid" BIGINT,
    "pageno" INTEGER,
    "data" BLOB
)
