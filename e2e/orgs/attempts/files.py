"""Local files: the machine's, the installation's, another organisation's; by every reader, every spelling, every writer."""
from .attempt import Due, Protocol, each, script

READERS = (
    "read_text", "read_blob", "read_csv", "read_csv_auto", "read_json", "read_json_auto", "read_json_objects", "read_ndjson", "read_ndjson_objects",
    "read_parquet", "parquet_scan", "parquet_metadata", "parquet_schema", "parquet_file_metadata", "parquet_kv_metadata", "parquet_full_metadata",
    "sniff_csv",
)


def attempts(scene):
    theirs, outside, own = scene.their_file, scene.outside_file, scene.own_files
    machine = [
        "/etc/passwd", "/etc/../etc/passwd", "//etc//passwd", "/etc/./passwd", "file:///etc/passwd", "file:/etc/passwd",
        "file://localhost/etc/passwd", "FILE:///etc/passwd", "/ETC/PASSWD", "/proc/self/environ", "/proc/self/cmdline", "/proc/self/maps",
        "/proc/self/fd/3", "/proc/self/root/etc/passwd", "/proc/self/cwd/etc/passwd", "/proc/thread-self/environ", "/proc/1/cmdline",
        "/proc/1/environ", "/proc/1/root/etc/passwd", "/dev/fd/3", "/dev/stdin", "/proc/net/tcp", "/sys/class/net/lo/address", "~/.bashrc",
        "../../../../../../etc/passwd", "./../../etc/passwd", "/etc/passw?", "/etc/pass*", "/etc/[p]asswd", "/etc/{passwd,group}",
        "/etc/passwd%00.csv", "/etc/%70asswd", "/./etc/passwd", "\\\\localhost\\etc\\passwd", "/etc/passwd?x=1", "/etc/passwd#x",
    ]
    installation = [
        f"{scene.data_dir}/{name}" for name in ("runtime.json", "admin.token", "default-user.json", "lock", "seal.key", "seal-keys", "tls/key.pem")
    ]
    of_beta = [
        theirs, f"file://{theirs}",
        theirs.replace("/orgs/", "//orgs//"),
        theirs.replace("/orgs/", "/orgs/./"), f"{own}/../../beta/disk/main/vault/{theirs.rsplit('/', 1)[1]}", f"{own}/../../beta/**/*.parquet",
        f"{scene.their_directory}/**", f"{scene.data_dir}/orgs/*/disk/**/*.parquet", f"{own}/x/../../../beta/disk/main/vault/*.parquet",
        f"{own}/%2e%2e/%2e%2e/beta/disk/**", f"{scene.data_dir}/orgs/gamma_corp/file/catalog.duckdb",
        theirs.upper(), f"{own}/..", f"{own}/../_files/../../beta/disk/**/*.parquet",
    ]
    found = each("local files", *(f"SELECT * FROM read_text('{path}')" for path in machine + installation))
    found += each("local files", *(f"SELECT * FROM {reader}('{outside}')" for reader in READERS))
    found += each("another's directory", *(f"SELECT * FROM read_parquet('{path}')" for path in of_beta))
    found += each("another's directory", *(f"SELECT * FROM read_blob('{path}')" for path in of_beta[:6]))
    found += each(
        "symbolic link", f"SELECT * FROM read_parquet('{scene.link}')", f"SELECT * FROM '{scene.link}'", f"SELECT * FROM read_blob('{scene.link}')"
    )
    found += each(
        "replacement scan", "SELECT * FROM '/etc/passwd'", f"SELECT * FROM '{outside}'", f'SELECT * FROM "{outside}"', f'TABLE "{outside}"',
        f"FROM '{outside}'", f"SELECT * FROM '{theirs}'", f'SELECT * FROM "{theirs}" AS t', f"SELECT * FROM 'file://{outside}'",
        f"SUMMARIZE '{outside}'", f"DESCRIBE SELECT * FROM '{outside}'", f"SELECT * FROM (FROM '{theirs}')", f"PIVOT '{outside}' ON a",
        f"SELECT count(*) FROM range(1), '{outside}'", f"INSERT INTO scratch_table SELECT * FROM '{outside}'", f"SELECT * FROM lake.\"{outside}\"",
        f"SELECT * FROM lake.main.\"{outside}\"", f"MERGE INTO scratch_table t USING '{outside}' s ON true WHEN MATCHED THEN DELETE",
    )
    found += each(
        "listing",
        f"SELECT * FROM glob('{scene.their_directory}/**')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM glob('/proc/*/cmdline')",
        f"SELECT * FROM glob('{scene.data_dir}/*')",
        f"SELECT * FROM glob('{own}/../*')",
        f"SELECT * FROM glob('{own}/../../beta/**')",
        due=Due.NOTHING,
    )
    found += _writers(scene) + _database_files(scene) + _bound(scene)
    return found


def _writers(scene):
    probe, own = scene.probe, scene.own_files
    targets = [
        probe, f"file://{probe}", f"{own}/../../beta/disk/written.csv", f"{scene.their_directory}/written.csv", f"{scene.data_dir}/written.csv",
        f"{own}/../written.csv",
        probe.replace("/tmp/", "/dev/shm/"), "/proc/self/oom_score_adj"
    ]
    found = each("writing files", *(f"COPY (SELECT 1 AS a) TO '{target}'" for target in targets))
    found += each(
        "writing files", f"COPY (SELECT 1 AS a) TO '{probe}' (FORMAT parquet)", f"COPY (SELECT 1 AS a) TO '{probe}' (FORMAT json)",
        f"COPY (SELECT 1 AS a, '../../../../beta' AS b) TO '{own}/p' (FORMAT parquet, PARTITION_BY (b))",
        f"COPY (SELECT 1 AS a) TO '{own}/f' (FORMAT parquet, PER_THREAD_OUTPUT, FILENAME_PATTERN '../../../beta/disk/x')",
        f"COPY (SELECT 1 AS a) TO '{own}/f' (FORMAT parquet, FILE_SIZE_BYTES 1000, FILENAME_PATTERN '../../beta_{{i}}')",
        f"COPY (SELECT 1 AS a) TO '{own}/f' (FORMAT parquet, PARTITION_BY (a), FILENAME_PATTERN '../../../../beta/x_{{i}}')",
        f"EXPORT DATABASE '{probe}'", f"IMPORT DATABASE '{scene.their_directory}'", f"COPY scratch_table FROM '{scene.outside_file}'",
        "COPY (SELECT 1) TO PROGRAM 'id'", "COPY scratch_table FROM PROGRAM 'cat /etc/passwd'", f"COPY FROM DATABASE lake TO '{probe}'",
    )
    return found


def _database_files(scene):
    probe = scene.probe
    file = f"{scene.data_dir}/orgs/gamma_corp/file/catalog.duckdb"
    return each(
        "attaching files", f"ATTACH '{probe}' AS probe", f"ATTACH '{file}' AS theirs (READ_ONLY)", f"ATTACH DATABASE '{file}' AS theirs",
        f"ATTACH IF NOT EXISTS '{probe}' AS probe", f"ATTACH 'sqlite:{probe}' AS probe", f"ATTACH '{probe}' AS probe (TYPE sqlite)",
        f"SELECT * FROM sqlite_scan('{probe}', 't')", f"CALL sqlite_attach('{probe}')", f"SELECT * FROM sqlite_query('{probe}', 'SELECT 1')",
        f"SELECT * FROM delta_scan('{scene.their_directory}')", f"ATTACH '{scene.their_directory}' AS d (TYPE delta)",
        f"SELECT * FROM read_duckdb('{file}')", f"ATTACH 'ducklake:{probe}' AS probe", f"ATTACH 'ducklake:sqlite:{probe}' AS probe",
        f"SELECT * FROM iceberg_scan('{scene.their_directory}')", f"ATTACH 'duckdb:{probe}' AS probe", "ATTACH '' AS probe (TYPE ducklake)",
        f"ATTACH '{probe}.db' (TYPE duckdb)", f"ATTACH E'{probe}' AS probe", f"ATTACH ':memory:{probe}' AS probe", "CREATE DATABASE probe",
        "DETACH lake", "DETACH DATABASE IF EXISTS lake", "DROP DATABASE lake", "ALTER DATABASE lake SET ALIAS TO beta", "USE sales", "USE beta",
        f"SELECT * FROM read_xlsx('{scene.outside_file}')", f"SELECT * FROM st_read('{scene.outside_file}')",
        f"SELECT * FROM read_avro('{scene.outside_file}')",
    )


def _bound(scene):
    """Bind parameters as names of files."""
    paths = ("/etc/passwd", scene.their_file, f"file://{scene.outside_file}", f"{scene.own_files}/../../beta/disk/**/*.parquet")
    extended = {"protocol": Protocol.EXTENDED}
    found = []
    for path in paths:
        for sql in (
            "SELECT * FROM read_text($1)", "SELECT * FROM read_parquet($1)", "SELECT * FROM read_blob([$1])",
            "SELECT content FROM read_text($1::text)"
        ):
            found += each("bind parameters", sql, parameters=(path,), **extended)
    found += each("bind parameters", "SELECT * FROM read_csv($1)", parameters=(scene.outside_file, ), **extended)
    found += each("bind parameters", "SELECT * FROM glob($1)", parameters=(f"{scene.their_directory}/**", ), due=Due.NOTHING, **extended)
    found += each("bind parameters", "ATTACH $1 AS probe", "COPY (SELECT 1) TO $1", parameters=(scene.probe,), **extended)
    found += each("bind parameters", "SELECT * FROM query($1)", "EXECUTE IMMEDIATE $1", parameters=("SELECT 1", ), **extended)
    found += each("bind parameters", "SELECT * FROM read_text($1 || $2)", parameters=("/etc/", "passwd"), **extended)
    found.append(script("bind parameters", "SET VARIABLE path = '/etc/passwd'", "SELECT * FROM read_text(getvariable('path'))"))
    found.append(script("bind parameters", f"SET VARIABLE paths = ['{scene.their_file}']", "SELECT * FROM read_parquet(getvariable('paths'))"))
    return found
