CREATE TABLE __pintail.pg.pg_inherits (
    "inhrelid" BIGINT,
    "inhparent" BIGINT,
    "inhseqno" INTEGER,
    "inhdetachpending" BOOLEAN
)
