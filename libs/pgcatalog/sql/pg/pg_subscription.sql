CREATE TABLE __pintail.pg.pg_subscription (
    "oid" BIGINT,
    "subdbid" BIGINT,
    "subskiplsn" VARCHAR,
    "subname" VARCHAR,
    "subowner" BIGINT,
    "subenabled" BOOLEAN,
    "subbinary" BOOLEAN,
    "substream" BOOLEAN,
    "subtwophasestate" VARCHAR,
    "subdisableonerr" BOOLEAN,
    "subconninfo" VARCHAR,
    "subslotname" VARCHAR,
    "subsynccommit" VARCHAR,
    "subpublications" VARCHAR[]
)
