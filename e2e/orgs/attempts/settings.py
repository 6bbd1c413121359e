"""Settings, pragmas, extensions, logging; other sessions; values that Pintail writes into SQL of its own."""
from .attempt import Due, Protocol, each, script

LOCKED = (
    "enable_external_access", "lock_configuration", "allowed_directories", "allowed_paths", "allow_unsigned_extensions", "allow_community_extensions",
    "temp_directory", "extension_directory", "secret_directory", "home_directory", "autoload_known_extensions", "custom_extension_repository",
    "log_query_path", "profiling_output", "allow_persistent_secrets", "file_search_path", "http_proxy", "ca_cert_file", "s3_endpoint", "memory_limit",
    "threads", "password", "username", "allow_unredacted_secrets"
)


def attempts(scene):
    found = []
    for name in LOCKED[:4]:
        value = "['/']" if name.startswith("allowed") else ("false" if name == "lock_configuration" else "true")
        found += each(
            "locked settings", f"SET {name} = {value}", f"SET GLOBAL {name} = {value}", f"SET SESSION {name} = {value}",
            f"SET LOCAL {name} = {value}", f"RESET {name}", f"RESET GLOBAL {name}", f"PRAGMA {name}", f"PRAGMA {name} = {value}",
            f"SELECT set_config('{name}', '/', false)", f'SET "{name}" = {value}', f"SET {name.upper()} TO {value}",
            f"ALTER SYSTEM SET {name} = {value}", f"ALTER DATABASE lake SET {name} = {value}", f"ALTER ROLE ann SET {name} = {value}",
            f"CALL pragma_{name}()"
        )
    found += each("locked settings", *(f"SET {name} = '/tmp'" for name in LOCKED[4:]), *(f"SET GLOBAL {name} = '/tmp'" for name in LOCKED[4:10]))
    found += each(
        "locked settings", "UPDATE pg_settings SET setting = 'on' WHERE name = 'x'", "SET VARIABLE pintail_user = 'root'",
        'SET VARIABLE "pintail_schemas" = NULL', "SET VARIABLE PINTAIL_CATALOG = 'beta'", "RESET VARIABLE pintail_user",
        "SET SESSION AUTHORIZATION beta", "SET ROLE postgres", "SET lock_configuration TO DEFAULT"
    )
    found += each(
        "extensions", "INSTALL sqlite_scanner", "INSTALL aws", "FORCE INSTALL httpfs", "INSTALL httpfs FROM core", "INSTALL shellfs FROM community",
        f"INSTALL x FROM 'http://127.0.0.1:{scene.admin_port}'", "LOAD sqlite_scanner", "LOAD aws", "LOAD delta", "LOAD httpfs",
        "LOAD '/tmp/x.duckdb_extension'", f"LOAD '{scene.own_files}/x.duckdb_extension'", "UPDATE EXTENSIONS", "UPDATE EXTENSIONS (httpfs)",
        "CALL force_install('x')", "load/**/sqlite_scanner", "LOAD $$sqlite_scanner$$", "install 'sqlite_scanner'",
        "SELECT * FROM sqlite_scan('x', 'y')", "SELECT load_extension('x')",
    )
    found += each(
        "pragmas", "PRAGMA database_list", "PRAGMA show_databases", "PRAGMA database_size", "PRAGMA storage_info('scratch_table')",
        "PRAGMA metadata_info", "PRAGMA import_database('/tmp')", "PRAGMA enable_logging", "PRAGMA enable_profiling",
        "PRAGMA profiling_output='/tmp/x'", "PRAGMA version", "PRAGMA user_agent", "PRAGMA disable_object_cache", "PRAGMA force_checkpoint",
        "PRAGMA functions", "CALL enable_logging(storage = 'file', storage_config = {'path': '/tmp'})", "CALL enable_logging('QueryLog')",
        "CALL disable_logging()", "CALL truncate_duckdb_logs()", "SELECT * FROM duckdb_logs()", "SELECT * FROM duckdb_log_contexts()",
        "SELECT * FROM enable_profiling()", "CALL pragma_storage_info('scratch_table')", "SELECT * FROM duckdb_external_file_cache()",
        "SELECT * FROM checkpoint()", "CALL force_checkpoint()",
    )
    found += each("pragmas", "SELECT * FROM duckdb_logs", due=Due.NOTHING)
    found += _sessions(scene) + _looks()
    found += _values()
    return found


def _sessions(scene):
    """Somebody else's session, by its process id."""
    return each(
        "other sessions", f"KILL {scene.their_pid}", f"SELECT __pintail_call('pg_terminate_backend', '{scene.their_pid}', '0')",
        "SELECT * FROM __pintail_rows('pg_stat_activity')"
    ) + each(
        "other sessions",
        f"SELECT pg_terminate_backend({scene.their_pid})",
        f"SELECT * FROM pg_terminate_backend({scene.their_pid})",
        f"SELECT pg_cancel_backend({scene.their_pid})",
        f"SELECT pg_stat_get_activity({scene.their_pid})",
        "NOTIFY pintail_changed",
        "SELECT pg_notify('pintail_changed', 'x')",
        "LISTEN pintail_changed",
        "SELECT pg_advisory_lock(1)",
        due=Due.SILENCE
    )


def _looks():
    """Whatever may be looked at shows nothing of another's."""
    views = (
        "pg_stat_activity", "pg_database", "pg_roles", "pg_user", "pg_shadow", "pg_authid", "pg_settings", "pg_tablespace", "pg_namespace",
        "pg_class", "pg_locks", "pg_prepared_statements", "pg_cursors", "pg_file_settings", "pg_hba_file_rules", "pg_stat_ssl", "pg_stat_database",
        "pg_subscription", "pg_user_mappings", "pg_foreign_server", "information_schema.schemata", "information_schema.tables",
        "information_schema.columns", "information_schema.enabled_roles", "information_schema.user_mappings", "information_schema.views"
    )
    functions = (
        "duckdb_databases", "duckdb_settings", "duckdb_tables", "duckdb_views", "duckdb_schemas", "duckdb_functions", "duckdb_extensions",
        "duckdb_variables", "duckdb_memory", "duckdb_temporary_files", "duckdb_prepared_statements", "duckdb_secret_types", "duckdb_dependencies",
        "duckdb_columns", "duckdb_constraints", "pragma_database_size", "pragma_show", "duckdb_connection_count", "duckdb_table_sample"
    )
    shows = (
        "SHOW ALL", "SHOW DATABASES", "SHOW TABLES", "SHOW ALL TABLES", "SHOW SCHEMAS", "SHOW data_directory", "SHOW config_file", "SHOW hba_file",
        "SELECT current_setting('data_directory', true)", "SELECT current_setting('secret_directory')",
        "SELECT version(), current_user, session_user, inet_server_addr()",
        "SELECT getvariable('pintail_user'), getvariable('pintail_worker_id'), getvariable('pintail_schemas')",
        "SELECT datname FROM pg_stat_database", "SELECT * FROM pg_show_all_settings()", "SELECT * FROM duckdb_views() WHERE NOT internal",
        "SELECT current_query()", "EXPLAIN SELECT * FROM scratch_table", "EXPLAIN ANALYZE SELECT * FROM scratch_table"
    )
    return each("looking", *(f"SELECT * FROM {view}" for view in views), *(f"SELECT * FROM {name}()" for name in functions), *shows, due=Due.SILENCE)


def _values():
    """Values that end up in SQL which Pintail itself writes."""
    evil = (
        "'; ATTACH ''/tmp/pintail-value'' AS beta; --", "x''); COPY (SELECT 1) TO ''/tmp/pintail-value'' --", "\\''; SELECT 1; --", "$$; SELECT 1; $$"
    )
    found = []
    for value in evil:
        for name in ("application_name", "my.setting", "search_path", "TimeZone", "DateStyle", "role"):
            found.append(
                script(
                    "values in SQL",
                    f"SET {name} = '{value}'",
                    "SELECT a FROM scratch_table",
                    due=Due.SILENCE,
                    protocol=Protocol.SIMPLE,
                    after=(f"RESET {name}", )
                )
            )
        found.append(
            script(
                "values in SQL",
                f"COMMENT ON TABLE scratch_table IS '{value}'",
                "SELECT a FROM scratch_table",
                due=Due.SILENCE,
                protocol=Protocol.SIMPLE
            )
        )
        found.append(
            script(
                "values in SQL",
                f"PREPARE \"{value}\" AS SELECT 1",
                f"EXECUTE \"{value}\"",
                due=Due.SILENCE,
                protocol=Protocol.SIMPLE,
                after=("DEALLOCATE ALL", )
            )
        )
    return found
