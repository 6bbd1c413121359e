CREATE TABLE __pintail.info.sql_sizing (
    "sizing_id" INTEGER,
    "sizing_name" VARCHAR,
    "supported_value" INTEGER,
    "comments" VARCHAR
)
