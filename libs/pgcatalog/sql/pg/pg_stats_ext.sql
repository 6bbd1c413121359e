CREATE TABLE __pintail.pg.pg_stats_ext (
    "schemaname" VARCHAR,
    "tablename" VARCHAR,
    "statistics_schemaname" VARCHAR,
    "statistics_name" VARCHAR,
    "statistics_owner" VARCHAR,
    "attnames" VARCHAR[],
    "exprs" VARCHAR[],
    "kinds" VARCHAR[],
    "inherited" BOOLEAN,
    "n_distinct" VARCHAR,
    "dependencies" VARCHAR,
    "most_common_vals" VARCHAR[],
    "most_common_val_nulls" BOOLEAN[],
    "most_common_freqs" DOUBLE[],
    "most_common_base_freqs" DOUBLE[]
)
