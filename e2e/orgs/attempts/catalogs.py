"""Another's catalogs by name, the lakes' metadata, the PostgreSQL behind it, and what the catalogs tell."""
from .attempt import Due, Protocol, each, script


def attempts(scene):
    found = each(
        "another's catalog", "SELECT * FROM beta.main.vault", "SELECT * FROM beta.public.vault", "SELECT * FROM disk.public.vault",
        "SELECT * FROM disk.main.vault", "SELECT * FROM beta.lake.vault", 'SELECT * FROM "beta/lake".public.vault',
        'SELECT * FROM "beta.lake".public.vault', "SELECT * FROM beta__lake.main.vault", "SELECT * FROM dl_beta__lake.main.vault",
        "SELECT * FROM scratch.main.t", "SELECT * FROM file.main.t", "SELECT * FROM more.public.vault", 'SELECT * FROM "LAKE".public.vault',
        "SELECT * FROM lake.public.vault", "SELECT * FROM vault", "SELECT * FROM public.vault", "INSERT INTO disk.public.vault VALUES ('x')",
        "DELETE FROM disk.main.vault", "DROP TABLE disk.main.vault", "TRUNCATE disk.public.vault", "CREATE TABLE disk.public.t (a int)",
        "CREATE SCHEMA disk.s", "ALTER TABLE disk.public.vault ADD COLUMN a int", "CREATE VIEW v AS SELECT * FROM disk.public.vault",
        "SELECT * FROM disk.information_schema.tables", "DESCRIBE disk.public.vault", "SHOW TABLES FROM disk", "SELECT * FROM system.main.disk",
        "CALL disk.main.f()", "SELECT disk.main.f()", "COMMENT ON TABLE disk.main.vault IS 'x'", "UPDATE disk.main.vault SET whose = ''",
        "MERGE INTO disk.main.vault USING disk.main.vault s ON true WHEN MATCHED THEN DELETE", "COPY disk.public.vault TO STDOUT",
    )
    # Statements that do nothing for any name.
    found += each(
        "another's catalog",
        "SELECT 'disk.public.vault'::regclass",
        "CHECKPOINT disk",
        "VACUUM disk.public.vault",
        "ANALYZE disk.public.vault",
        due=Due.SILENCE
    )
    found += each(
        "lake metadata", "SELECT * FROM __ducklake_metadata_lake.dl_beta__lake.ducklake_table",
        "SELECT * FROM __ducklake_metadata_lake.dl_acme__lake.ducklake_table", "SELECT * FROM __ducklake_metadata_lake.ducklake_table",
        "SELECT * FROM __DUCKLAKE_METADATA_lake.pg_catalog.pg_roles", 'SELECT * FROM "__ducklake_metadata_lake"."pintail"."orgs"',
        "SELECT * FROM __ducklake_metadata_lake.pg_catalog.pg_authid", "DELETE FROM __ducklake_metadata_lake.dl_beta__lake.ducklake_table",
        "INSERT INTO __ducklake_metadata_lake.dl_acme__lake.ducklake_table SELECT 1", "DROP SCHEMA __ducklake_metadata_lake.dl_acme__lake CASCADE",
        "CREATE VIEW v AS SELECT * FROM __ducklake_metadata_lake.dl_beta__lake.ducklake_table", "SHOW TABLES FROM __ducklake_metadata_lake",
        "DESCRIBE __ducklake_metadata_lake.dl_beta__lake.ducklake_table",
        "WITH x AS (FROM __ducklake_metadata_lake.dl_beta__lake.ducklake_data_file) SELECT * FROM x",
        "EXPLAIN SELECT * FROM __ducklake_metadata_lake.dl_beta__lake.ducklake_table", "USE __ducklake_metadata_lake",
        "SET search_path = '__ducklake_metadata_lake.dl_beta__lake'; SELECT * FROM ducklake_table", "ATTACH ':memory:' AS __ducklake_metadata_beta",
        "DETACH __ducklake_metadata_lake", "SELECT * FROM __ducklake_metadata_sales.x.y",
        "ALTER TABLE __ducklake_metadata_lake.dl_acme__lake.ducklake_table RENAME TO x", "SELECT * FROM lake.__pintail.constraints",
        "DROP SCHEMA __pintail CASCADE", "DELETE FROM __pintail.constraints", "SELECT * FROM __pintail_session.main.constraints",
        "CREATE OR REPLACE VIEW __pintail.pg.pg_class AS SELECT 1", "CREATE OR REPLACE MACRO __pintail.pg.version() AS 'x'",
    )
    found += _functions(scene) + _attach(scene)
    found += _odd_names()
    return found


def _functions(scene):
    """Functions that reach the metadata's PostgreSQL, any other one, or DuckLake's own bookkeeping."""
    dsn, port = scene.dsn, scene.postgres_port
    return each(
        "PostgreSQL by function", "SELECT * FROM postgres_query('__ducklake_metadata_lake', 'SELECT * FROM dl_beta__lake.ducklake_table')",
        "SELECT * FROM postgres_query('lake', 'SELECT 1')", "CALL postgres_execute('__ducklake_metadata_lake', 'DROP SCHEMA dl_acme__lake CASCADE')",
        f"SELECT * FROM postgres_scan('{dsn}', 'dl_beta__lake', 'ducklake_table')", f"SELECT * FROM postgres_scan('{dsn}', 'pintail', 'users')",
        f"SELECT * FROM postgres_scan_pushdown('{dsn}', 'pintail', 'catalogs')", f"CALL postgres_attach('{dsn}')",
        f"SELECT * FROM postgres_attach('{dsn}', source_schema='pintail')", "SELECT * FROM postgres_scan('', 'pg_catalog', 'pg_authid')",
        "SELECT * FROM postgres_scan('host=/tmp user=postgres', 'pg_catalog', 'pg_authid')",
        f"SELECT * FROM postgres_scan('host=127.0.0.1 port={port} user=postgres dbname=postgres', 'pg_catalog', 'pg_authid')",
        f"SELECT * FROM postgres_scan('host=127.0.0.1 port={scene.port} user=ann dbname=lake', 'public', 'vault')",
        "SELECT * FROM postgres_scan('host=127.0.0.1 port=1', 'a', 'b')", "SELECT * FROM postgres_configure_pool()", "SELECT * FROM pg_clear_cache()",
        "SELECT * FROM read_postgres_binary('/etc/passwd')", "SELECT * FROM mysql_query('x', 'SELECT 1')",
        "SELECT * FROM dblink('host=127.0.0.1', 'SELECT 1') AS t(a int)", "SELECT dblink_connect('host=127.0.0.1')",
    ) + each(
        "DuckLake by function", f"CALL ducklake_add_data_files('lake', 'scratch_table', '{scene.their_object}')",
        f"SELECT * FROM ducklake_add_data_files('lake', 'scratch_table', '{scene.their_object}', allow_missing => true)",
        "CALL ducklake_set_option('lake', 'data_path', 's3://lake/beta/')", "CALL lake.set_option('data_path', 's3://lake/beta/lake/')",
        "SELECT * FROM ducklake_list_files('lake', 'scratch_table')", "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
        "CALL ducklake_delete_orphaned_files('lake', cleanup_all => true)", "CALL ducklake_expire_snapshots('lake', older_than => now())",
        "SELECT * FROM ducklake_snapshots('lake')", "SELECT * FROM lake.snapshots()", "FROM ducklake_table_info('lake')",
        "CALL lake.add_data_files('scratch_table', 's3://lake/beta/**')", "CALL ducklake_merge_adjacent_files('lake')",
        "FROM ducklake_options('lake')", "SELECT * FROM ducklake_settings('lake')", "SELECT * FROM parquet_scan_ducklake()",
        "CALL ducklake_flush_inlined_data('lake')", "SELECT * FROM lake.current_snapshot()", "SELECT * FROM lake.options()",
    )


def _attach(scene):
    dsn = scene.dsn
    return each(
        "attaching lakes", "ATTACH 'ducklake:postgres:' AS b (METADATA_SCHEMA 'dl_beta__lake')",
        "ATTACH 'ducklake:postgres:' AS b (META_SECRET '__pintail_lake', METADATA_SCHEMA 'dl_beta__lake')",
        "ATTACH '' AS pg (TYPE postgres, SECRET '__pintail_lake')", f"ATTACH '{dsn}' AS pg (TYPE postgres)", f"ATTACH 'postgres:{dsn}' AS pg",
        f"ATTACH 'ducklake:postgres:{dsn}' AS b (METADATA_SCHEMA 'dl_beta__lake', DATA_PATH 's3://lake/beta/lake/')", f"ATTACH 'ducklake:{dsn}' AS b",
        "ATTACH 'ducklake:__pintail_lake' AS b", "ATTACH ':memory:' AS m (TYPE postgres)",
        "ATTACH ':memory:' AS m (TYPE ducklake, DATA_PATH 's3://lake/beta/')", "ATTACH OR REPLACE ':memory:' AS lake (TYPE ducklake)",
        "ATTACH 'ducklake::memory:' AS b (DATA_PATH 's3://lake/beta/lake/')",
        "ATTACH IF NOT EXISTS 'ducklake:postgres:' AS sales (METADATA_SCHEMA 'dl_beta__lake')", "attach/**/'ducklake:postgres:'/**/as/**/b",
        "ATTACH $$ducklake:postgres:$$ AS b", "ATTACH 'duck' || 'lake:postgres:' AS b", "ATTACH E'ducklake\\x3apostgres:' AS b",
    )


def _odd_names():
    """Names that become paths or schemas below the own prefix, and must not lead out of it."""
    names = ["../../beta/lake/x", "/../../../beta/x", "..", "%2e%2e/%2e%2e/beta", "a/../../../../beta/x", "\u2025/x", "C:\\x", "x\nY"]
    found = []
    for name in names:
        silent = {"due": Due.SILENCE, "protocol": Protocol.SIMPLE}
        found.append(script("names that are paths", f'CREATE TABLE "{name}" AS SELECT 1 AS a', **silent))
        found.append(script("names that are paths", f'CREATE SCHEMA "{name}"', f'CREATE TABLE "{name}"."{name}" AS SELECT 1 AS a', **silent))
    return found
