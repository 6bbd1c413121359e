CREATE TABLE __pintail.pg.pg_shmem_allocations (
    "name" VARCHAR,
    "off" BIGINT,
    "size" BIGINT,
    "allocated_size" BIGINT
)
