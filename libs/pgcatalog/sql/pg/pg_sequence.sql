CREATE TABLE __pintail.pg.pg_sequence (
    "seqrelid" BIGINT,
    "seqtypid" BIGINT,
    "seqstart" BIGINT,
    "seqincrement" BIGINT,
    "seqmax" BIGINT,
    "seqmin" BIGINT,
    "seqcache" BIGINT,
    "seqcycle" BOOLEAN
)
