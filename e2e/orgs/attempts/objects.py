"""The object store: another's prefix by every spelling, secrets of wider scope, other servers, other protocols."""
from .attempt import Due, each, script


def attempts(scene):
    theirs, name = scene.their_object, scene.their_name
    rest = name.removeprefix("beta/")
    plain = [
        theirs, f"s3://lake//{name}", f"s3a://lake/{name}", f"s3n://lake/{name}", f"S3://lake/{name}", f"s3://LAKE/{name}",
        f"s3://lake/{name.upper()}", f"s3://lake/%62eta/{rest}", f"s3://lake/beta%2f{rest}", f"s3://lake/./{name}", f"s3://lake/x/../{name}",
        f"s3:///lake/{name}", f"s3://lake/{name}?versionId=null", f"s3://lake/{name}#x", f"s3://lake:80/{name}", f"s3://127.0.0.1/lake/{name}",
        f"gcs://lake/{name}", f"gs://lake/{name}", f"r2://lake/{name}", f"az://lake/{name}", f"hf://datasets/lake/{name}",
        "s3://lake/beta/**/*.parquet", "s3://lake/*/lake/**", "s3://*/beta/**", "s3://lake/[b]eta/**", "s3://lake/{beta,acme}/**",
        "s3://lake/bet?/**", "s3://lake/gamma_corp/**", "s3://lake/acme/../beta/**", "s3://lake/acmex/**", "s3://lake/**",
    ]
    own = scene.own_prefix.rstrip("/")
    climbing = [
        f"{own}/../../{name}", f"{own}//../..//{name}", f"{own}/%2e%2e/%2e%2e/{name}", f"{own}/%2E%2E/%2E%2E/{name}", f"{own}/..%2f..%2f{name}",
        f"{own}/..%252f..%252f{name}", f"{own}/.%2e/.%2e/{name}", f"{own}/..;/..;/{name}", f"{own}/..\\..\\{name}", f"{own}/\u2025/\u2025/{name}",
        f"{own}*/../../{name}", f"{own}/*/../../../{name}", f"{own}?/../../{name}", f"{own}/x?prefix=../../{name}",
    ]
    found = each("another's prefix", *(f"SELECT * FROM read_parquet('{url}')" for url in plain))
    found += each("another's prefix, climbing", *(f"SELECT * FROM read_parquet('{url}')" for url in climbing))
    found += each(
        "another's prefix", f"SELECT * FROM '{theirs}'", f'SELECT * FROM "{theirs}"', f"SELECT * FROM read_blob('{theirs}')",
        f"SELECT * FROM read_text('{theirs}')", f"SELECT * FROM parquet_metadata('{theirs}')",
        f"SELECT * FROM read_parquet(['{own}/main/**', '{theirs}'])", f"SELECT * FROM read_parquet(list_value('{theirs}'))",
        f"SELECT * FROM read_parquet('s3://lake/' || 'beta/{rest}')", f"SELECT * FROM read_parquet(concat('s3://lake/be', 'ta/{rest}'))",
        f"SELECT * FROM parquet_schema('{theirs}')", f"SELECT * FROM read_parquet('{theirs}', filename = true, hive_partitioning = true)",
        f"SELECT * FROM read_parquet(replace('{theirs}', 'x', 'x'))", f"SELECT * FROM read_parquet(chr(115) || '3://lake/{name}')",
        f"SELECT * FROM parquet_bloom_probe('{theirs}', 'a', 1)",
    )
    listing = ["s3://lake/beta/**", "s3://lake/*/**", f"{own}*/../../**", f"{own}/../../beta/**", "s3://lake/acme/../**", "s3://lake/*"]
    found += each("listing the store", *(f"SELECT * FROM glob('{url}')" for url in listing), due=Due.NOTHING)
    return found + _writing(scene, own) + _secrets(scene) + _elsewhere(scene, own)


def _writing(scene, own):
    targets = [
        "s3://lake/beta/written.parquet", "s3://lake/beta/lake/main/vault/written.parquet", "s3://lake/written.parquet",
        "s3://lake/acme/written.parquet", "s3://lake/acme/lakes/written.parquet", "s3://other/written.parquet", f"{own}/../../beta/written.parquet",
        f"{own}/../../beta/lake/written.parquet", f"{own}x/written.parquet",
    ]
    found = each("writing to the store", *(f"COPY (SELECT 1 AS a) TO '{url}'" for url in targets))
    found += each(
        "writing to the store", "COPY (SELECT 1 AS a) TO 's3://lake/beta/w' (FORMAT parquet, PARTITION_BY (a))",
        "COPY (SELECT 1 AS a) TO 's3://lake/beta/w.csv' (FORMAT csv)", f"COPY (SELECT 1 AS a) TO '{scene.their_object}'",
        "EXPORT DATABASE 's3://lake/beta/export'", f"COPY scratch_table TO '{scene.their_object}'", f"COPY scratch_table FROM '{scene.their_object}'",
    )
    # What an encoded or climbing name makes is an object of the own prefix, or none.
    odd = [f"{own}/%2e%2e/%2e%2e/beta/written.parquet", f"{own}/..%2f..%2fbeta/written.parquet", f"{own}/w/..\\..\\..\\beta/written.parquet"]
    found += each("writing to the store", *(f"COPY (SELECT 1 AS a) TO '{url}'" for url in odd), due=Due.SILENCE)
    found += each(
        "writing to the store",
        f"COPY (SELECT 1 AS a, '../../../beta' AS b) TO '{own}/p' (FORMAT parquet, PARTITION_BY (b))",
        f"COPY (SELECT 1 AS a) TO '{own}/f' (FORMAT parquet, PER_THREAD_OUTPUT, FILENAME_PATTERN '../../../beta/x_{{i}}')",
        due=Due.SILENCE,
    )
    return found


def _secrets(scene):
    theirs = scene.their_object
    read = f"SELECT * FROM read_parquet('{theirs}')"
    drop = ("DROP SECRET IF EXISTS wide", "DROP PERSISTENT SECRET IF EXISTS wide")
    found = [
        script("secrets", scene.secret("wide", scope), read, after=drop)
        for scope in ("s3://lake/beta/", "s3://lake/", "s3://", theirs, "s3://lake/acme/lake/../../beta/", "*")
    ]
    # The same without the options that name a server.
    plain = {"ENDPOINT": None, "USE_SSL": None, "URL_STYLE": None}
    found += [script("secrets", scene.secret("wide", scope, **plain), read, after=drop) for scope in ("s3://lake/beta/", "s3://lake/", theirs)]
    found += [
        script("secrets", scene.secret("wide", "s3://lake/beta/", **changes).replace("SECRET", "PERSISTENT SECRET", 1), read, after=drop)
        for changes in ({}, plain)
    ]
    found.append(script("secrets", scene.secret("wide", "s3://lake/beta/"), "COPY (SELECT 1) TO 's3://lake/beta/w.parquet'", after=drop))
    whole = scene.secret("wide", "s3://lake/beta/")
    found += each(
        "cloud credentials", whole.replace("PROVIDER config", "PROVIDER credential_chain"), "CREATE SECRET c (TYPE s3, PROVIDER credential_chain)",
        "CALL load_aws_credentials()", "SELECT * FROM load_aws_credentials('default')",
        "CREATE SECRET c (TYPE aws, PROVIDER credential_chain, SCOPE 's3://lake/')",
        "CREATE SECRET c (TYPE gcs, PROVIDER credential_chain, SCOPE 'gs://x/')",
        "CREATE SECRET c (TYPE azure, PROVIDER managed_identity, SCOPE 'az://x/')", "SET s3_access_key_id = 'x'", "SET s3_endpoint = '127.0.0.1'",
        "SET GLOBAL s3_region = 'x'",
    )
    found += each(
        "secrets", "CREATE SECRET c (TYPE s3)", "CREATE SECRET c (TYPE s3, KEY_ID 'a', SECRET 'b')",
        f"CREATE SECRET c (TYPE postgres, HOST '127.0.0.1', PORT {scene.postgres_port})", "CREATE SECRET c (TYPE ducklake, METADATA_PATH '')",
        "CREATE SECRET c (TYPE http, BEARER_TOKEN 'x', SCOPE 'http://127.0.0.1/')",
        "CREATE SECRET c IN local_file (TYPE s3, KEY_ID 'a', SECRET 'b', SCOPE 's3://lake/')", "DROP SECRET __pintail_lake",
        "DROP PERSISTENT SECRET __pintail_lake", "CREATE OR REPLACE SECRET __pintail_lake (TYPE s3, KEY_ID 'a', SECRET 'b', SCOPE 's3://lake/')",
        "SELECT * FROM duckdb_secrets()", "SELECT * FROM duckdb_secrets(redact = false)", f"SELECT * FROM which_secret('{theirs}', 's3')",
        "SELECT * FROM main.duckdb_secrets()", "SHOW SECRETS",
    )
    return found


def _elsewhere(scene, own):
    """Other servers, and this machine's services over HTTP."""
    drop = ("DROP SECRET IF EXISTS other", )
    endpoints = [f"127.0.0.1:{scene.admin_port}", f"127.0.0.1:{scene.port}", "127.0.0.1:1", "169.254.169.254", f"localhost:{scene.admin_port}"]
    found = [
        # The longest scope wins, so this secret is the one that is used.
        script(
            "another server",
            scene.secret("other", f"{own}/elsewhere.parquet", ENDPOINT=f"'{endpoint}'"),
            f"SELECT * FROM read_parquet('{own}/elsewhere.parquet')",
            after=drop
        ) for endpoint in endpoints
    ]
    found += each(
        "another server", f"SELECT * FROM read_parquet('{own}/x.parquet?s3_endpoint=127.0.0.1:{scene.admin_port}')",
        f"SELECT * FROM read_text('https://127.0.0.1:{scene.admin_port}/metrics')",
        f"SELECT * FROM read_text('http://127.0.0.1:{scene.admin_port}/metrics')",
        f"SELECT * FROM read_parquet('http://{scene.store_endpoint}/lake/{scene.their_name}')",
        "SELECT * FROM read_text('http://169.254.169.254/latest/meta-data/')", f"SELECT * FROM read_csv('http://127.0.0.1:{scene.postgres_port}/')",
        f"SELECT * FROM 'http://{scene.store_endpoint}/lake/{scene.their_name}'", "SELECT * FROM read_text('ftp://127.0.0.1/x')",
        f"ATTACH 'http://{scene.store_endpoint}/x.db' AS h", "ATTACH 's3://lake/beta/x.db' AS h",
        f"ATTACH '' AS i (TYPE iceberg, ENDPOINT 'http://127.0.0.1:{scene.admin_port}')", "ATTACH 'warehouse' AS i (TYPE iceberg)",
        "SELECT http_get('http://127.0.0.1/')", "SELECT * FROM http_get('http://127.0.0.1/')", "SELECT * FROM iceberg_scan('s3://lake/beta/')",
        "SELECT * FROM delta_scan('s3://lake/beta/')",
    )
    return found
