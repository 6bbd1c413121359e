CREATE TABLE __pintail.pg.pg_stats_ext_exprs (
    "schemaname" VARCHAR,
    "tablename" VARCHAR,
    "statistics_schemaname" VARCHAR,
    "statistics_name" VARCHAR,
    "statistics_owner" VARCHAR,
    "expr" VARCHAR,
    "inherited" BOOLEAN,
    "null_frac" FLOAT,
    "avg_width" INTEGER,
    "n_distinct" FLOAT,
    "most_common_vals" VARCHAR[],
    "most_common_freqs" FLOAT[],
    "histogram_bounds" VARCHAR[],
    "correlation" FLOAT,
    "most_common_elems" VARCHAR[],
    "most_common_elem_freqs" FLOAT[],
    "elem_count_histogram" FLOAT[]
)
