-- What the lake recorded of its tables' constraints; each session puts its catalog's table here. A foreign key is seen where both its tables are: its definition, and even the OID of what it refers to, would tell the other's name.
CREATE OR REPLACE VIEW __pintail.pg._constraints AS
SELECT 'pg_temp_1' AS nspname, table_name AS relname, constraint_name AS conname,
       CASE constraint_type WHEN 'PRIMARY KEY' THEN 'p' WHEN 'UNIQUE' THEN 'u' WHEN 'CHECK' THEN 'c' ELSE 'f' END AS contype,
       constraint_column_names AS columns, CASE WHEN constraint_type = 'CHECK' THEN regexp_replace(constraint_text, '^CHECK\s*\((.*)\)$', 'CHECK ((\1))') WHEN constraint_type IN ('PRIMARY KEY', 'UNIQUE') THEN constraint_type || ' (' || array_to_string(constraint_column_names, ', ') || ')' ELSE constraint_text END AS definition,
       'pg_temp_1' AS ref_schema, referenced_table AS ref_table, referenced_column_names AS ref_columns
FROM duckdb_constraints() WHERE database_name = 'temp' AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'CHECK', 'FOREIGN KEY')
UNION ALL
SELECT __pintail.pg._public(schema_name), table_name, constraint_name,
       CASE constraint_type WHEN 'PRIMARY KEY' THEN 'p' WHEN 'UNIQUE' THEN 'u' WHEN 'CHECK' THEN 'c' ELSE 'f' END,
       constraint_column_names, CASE WHEN constraint_type = 'CHECK' THEN regexp_replace(constraint_text, '^CHECK\s*\((.*)\)$', 'CHECK ((\1))') WHEN constraint_type IN ('PRIMARY KEY', 'UNIQUE') THEN constraint_type || ' (' || array_to_string(constraint_column_names, ', ') || ')' ELSE constraint_text END,
       __pintail.pg._public(schema_name), referenced_table, referenced_column_names
FROM duckdb_constraints() WHERE database_name = __pintail.pg._catalog() AND __pintail.pg._sees(schema_name) AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'CHECK', 'FOREIGN KEY')
UNION ALL
SELECT __pintail.pg._public(schema_name), table_name, constraint_name, constraint_type, column_names, definition,
       __pintail.pg._public(ref_schema), ref_table, ref_columns FROM __pintail_session.main.constraints WHERE __pintail.pg._sees(schema_name) AND (ref_schema IS NULL OR __pintail.pg._sees(ref_schema))
