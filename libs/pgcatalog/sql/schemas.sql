CREATE SCHEMA IF NOT EXISTS "__pintail".pg;
CREATE SCHEMA IF NOT EXISTS "__pintail".info;
USE "__pintail".pg
