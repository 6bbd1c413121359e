CREATE TABLE __pintail.pg.pg_backend_memory_contexts (
    "name" VARCHAR,
    "ident" VARCHAR,
    "parent" VARCHAR,
    "level" INTEGER,
    "total_bytes" BIGINT,
    "total_nblocks" BIGINT,
    "free_bytes" BIGINT,
    "free_chunks" BIGINT,
    "used_bytes" BIGINT
)
