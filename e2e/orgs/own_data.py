"""Each organisation reads and writes its own data, and everything that it wrote lies below its own names."""
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess

from installation import ALIAS, ORGS, USER, Installation, host_of

LAKES = {org: [name for name, kind in catalogs.items() if kind.startswith("s3") or kind == "local"] for org, catalogs in ORGS.items()}


def psql(installation, org, catalog, *commands):
    """What psql prints; the machine's own, because the fetched one has no TLS."""
    command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1"]
    for text in commands:
        command += ["-c", text]
    environment = installation.environment(org, catalog)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{org}/{catalog}: {done.stderr}"
    return done.stdout.strip()


def with_psql(installation, org, catalog):
    found = psql(
        installation, org, catalog, "CREATE SCHEMA shop", "CREATE TABLE shop.orders (id int PRIMARY KEY, whose text, price numeric(10,2))",
        f"INSERT INTO shop.orders SELECT i, '{org}/{catalog}', i * 1.25 FROM generate_series(1, 1000) AS g(i)",
        "UPDATE shop.orders SET price = 0 WHERE id % 10 = 0", "DELETE FROM shop.orders WHERE id > 900",
        "SELECT count(*), min(whose), max(whose), sum(price) FROM shop.orders", "SELECT current_database(), current_user",
    )
    # 1.25 times the sum of 1 to 900, less that of its multiples of ten.
    expected = f"900|{org}/{catalog}|{org}/{catalog}|{1.25 * (900 * 901 / 2 - 10 * 90 * 91 / 2):.2f}\n{catalog}|{USER}"
    assert found == expected, f"{org}/{catalog}: {found!r} is not {expected!r}"


def with_psycopg(installation, org, catalog):
    with installation.connect(org, catalog) as connection:
        assert connection.execute("SELECT current_database(), current_user").fetchone() == (catalog, USER)
        connection.execute("CREATE TABLE notes (id int, whose text)")
        connection.execute("INSERT INTO notes SELECT i, %s FROM generate_series(0, 489) AS g(i)", (f"{org}/{catalog}", ))
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO notes VALUES (%s, %s)", [(number, f"{org}/{catalog}") for number in range(490, 500)])
        with connection.transaction():
            connection.execute("INSERT INTO notes VALUES (%s, %s)", (500, f"{org}/{catalog}"))
        for binary in (False, True):
            with connection.cursor(binary=binary) as cursor:
                cursor.execute("SELECT count(*), count(DISTINCT whose), min(whose) FROM notes WHERE id >= %s", (1,))
                assert cursor.fetchone() == (500, 1, f"{org}/{catalog}")
        names = {name for (name,) in connection.execute("SELECT datname FROM pg_database")}
        assert catalog in names and names <= set(ORGS[org]), f"{org} sees the databases {names}"


def joined(installation, org):
    """Two catalogs by three-part names, from either of them."""
    first, second = LAKES[org]
    for start in (first, second):
        with installation.connect(org, start) as connection:
            sql = f"SELECT count(*), min(a.whose), min(b.whose) FROM {first}.public.notes a JOIN {second}.public.notes b USING (id)"
            assert connection.execute(sql).fetchone() == (501, f"{org}/{first}", f"{org}/{second}")
            assert connection.execute("SELECT current_database()").fetchone() == (start,)
            written = connection.execute(f"INSERT INTO {second}.shop.orders SELECT id + 2000, whose, 1 FROM {first}.public.notes").rowcount
            assert written == 501, written
            connection.execute(f"DELETE FROM {second}.shop.orders WHERE id >= 2000")


def other_kinds(installation):
    """A database file keeps its rows, a database in memory does not."""
    for _ in range(2):
        with installation.connect("gamma_corp", "scratch") as connection:
            connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    with installation.connect("gamma_corp", "file") as connection:
        connection.execute("CREATE TABLE t AS SELECT 7 AS a")
    with installation.connect("gamma_corp", "file", host=ALIAS[1]) as connection:
        assert connection.execute("SELECT a FROM t").fetchone() == (7,)


def certificate_names(installation, host):
    """Names in the certificate that a client is shown which asks for a host."""
    context = ssl.create_default_context(cafile=installation.certificates.ca)
    with socket.create_connection(("127.0.0.1", installation.port), timeout=20) as plain:
        plain.sendall(struct.pack("!ii", 8, 80877103))  # SSLRequest
        assert plain.recv(1) == b"S"
        with context.wrap_socket(plain, server_hostname=host) as secure:
            return [name for _, name in secure.getpeercert()["subjectAltName"]]


def certificates(installation):
    suffix = host_of("x").removeprefix("x.")
    for host, expected in [(host_of("acme"), f"*.{suffix}"), (host_of("gamma_corp"), f"*.{suffix}"), (host_of("beta"), host_of("beta")),
                           (host_of("beta").upper(), host_of("beta")), (ALIAS[1], ALIAS[1]), ("localhost", "localhost"), ]:
        names = certificate_names(installation, host)
        assert expected in names, f"{host}: {names}"


def without_server_name(installation):
    """The organisation by a start-up option, as the installation allows; by nothing, nobody is let in."""
    address = {"host": "127.0.0.1", "options": "-c pintail.org=acme"}
    with installation.connect("acme", "lake", **address) as connection:
        assert connection.execute("SELECT min(whose) FROM notes").fetchone() == ("acme/lake", )


def objects(installation):
    """Every object lies below the prefix of a catalog that has some, and each key sees its own only."""
    store = installation.store
    names = store.objects()
    on_s3 = {f"{org}/{name}/": ORGS[org][name].split()[1] for org in ORGS for name in ORGS[org] if ORGS[org][name].startswith("s3")}
    for prefix in on_s3:
        assert any(name.startswith(prefix) for name in names), f"nothing below {prefix}"
    strays = [name for name in names if not any(name.startswith(prefix) for prefix in on_s3)]
    assert not strays, strays
    for key in store.keys.values():
        for name in (next(name for name in names if name.startswith(prefix)) for prefix in on_s3):
            status, _ = store.request("GET", f"/lake/{name}", key=key)
            expected = 200 if name.startswith(key.prefix) else 403
            assert status == expected, f"{key.name} got {status} for {name}"
        status, _ = store.request("GET", "/lake", {"list-type": "2"}, key)
        assert status == 403, f"{key.name} lists the bucket"
    disk = os.path.join(installation.data, "orgs")
    files = [os.path.relpath(os.path.join(path, name), disk) for path, _, names in os.walk(disk) for name in names]
    assert files and all(file.startswith(("beta/disk/", "gamma_corp/file/")) for file in files), files
    return len(names)


def metadata(installation):
    """DuckLake's tables are in the catalogs' own schemas only, and each role may enter its own only."""
    lakes = {f"dl_{org}__{name}" for org, names in LAKES.items() for name in names}
    rows = installation.postgres.query(
        "SELECT DISTINCT n.nspname, r.rolname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r "
        "ON r.oid = c.relowner WHERE c.relname LIKE 'ducklake%' AND c.relkind = 'r'", "pintail",
    )
    assert {schema for schema, _ in rows} == lakes, rows
    assert len({owner for _, owner in rows}) == len(lakes), f"roles are shared: {rows}"
    for schema, owner in rows:
        entered = installation.postgres.query(
            f"SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' AND has_schema_privilege('{owner}', oid, 'USAGE')",
            "pintail"
        )
        assert entered == [(schema,)], f"{owner} may enter {entered}"
        (written,) = installation.postgres.query(f'SELECT string_agg(DISTINCT path, \' \') FROM "{schema}".ducklake_schema', "pintail")[0]
        assert not re.search(r"\.\.|//", written or ""), written
    return len(rows)


def main():
    with Installation() as installation:
        own_psql = shutil.which("psql")
        for org, catalogs in LAKES.items():
            for catalog in catalogs:
                if own_psql:
                    with_psql(installation, org, catalog)
                else:  # what the joins read
                    with installation.connect(org, catalog) as connection:
                        connection.execute("CREATE SCHEMA shop")
                        connection.execute("CREATE TABLE shop.orders (id int, whose text, price numeric(10,2))")
                with_psycopg(installation, org, catalog)
            joined(installation, org)
        other_kinds(installation)
        certificates(installation)
        without_server_name(installation)
        print(f"{objects(installation)} objects below their own prefixes, {metadata(installation)} lakes in their own schemas")
    print("own data:", "fine" if own_psql else "fine, without psql: this machine has none with TLS")


if __name__ == "__main__":
    main()
