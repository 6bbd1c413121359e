"""An installation of three organisations with PostgreSQL, an S3 store, TLS by host name and the admin API over HTTPS.

    with Installation() as installation:
        with installation.connect("acme", "lake") as connection: ...
"""
import json
import os
import secrets
import shutil
import tempfile

import psycopg

from admin import Admin
from certificates import SUFFIX, Certificates
from postgres import Postgres
from service import Service, alone, eventually
from store import BUCKET, REGION, Key, ObjectStore

# An organisation's catalogs: on S3 with a key by name, on the server's disk, a database file, memory.
ORGS = {
    "acme": {"lake": "s3 acme", "sales": "s3 acme-sales"}, "beta": {"lake": "s3 beta", "disk": "local"},
    "gamma_corp": {"lake": "s3 gamma_corp", "more": "s3 gamma_corp", "file": "file", "scratch": "memory"},
}
KEYS = [Key("acme", "acme/"), Key("acme-sales", "acme/sales/"), Key("beta", "beta/"), Key("gamma_corp", "gamma_corp/")]
# A host name of an organisation's own, beside the one below the suffix.
ALIAS = ("gamma_corp", "data.gamma.example")
# Every organisation has this user, each with a password of its own.
USER = "ann"


def host_of(org):
    return f"{org.replace('_', '-')}.{SUFFIX}"


class Installation:
    """Everything runs from `with` to its end, in a directory that goes with it."""

    def __init__(self, orgs=None, **settings):
        self.orgs = ORGS if orgs is None else orgs
        self.settings = settings
        self.passwords = {org: secrets.token_urlsafe(12) for org in self.orgs}
        self.directory = tempfile.mkdtemp(prefix="po.")
        # PostgreSQL and its user must get through; nothing below is readable to others but what is theirs.
        os.chmod(self.directory, 0o711)
        self.data = os.path.join(self.directory, "data")
        self.running = []

    def __enter__(self):
        alone()
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind, *_):
        failed = kind is not None and not issubclass(kind, (KeyboardInterrupt, SystemExit))
        if failed and os.environ.get("PINTAIL_E2E_LOG", "") != "off":
            print(f"--- the server's log\n{self.server.tail()}---")
        self._stop()

    def certificates_made(self):
        """What else is to run before the server starts."""

    def _start(self):
        self.certificates = Certificates(self.directory, [host_of("beta"), ALIAS[1]])
        self.certificates_made()
        self.postgres = Postgres(self.directory)
        self.running.append(self.postgres)
        self.postgres.start().prepare()
        self.store = None
        if any(kind.startswith("s3") for catalogs in self.orgs.values() for kind in catalogs.values()):
            self.store = ObjectStore(self.directory, KEYS)
            self.running.append(self.store)
            self.store.start()
        programs = os.path.join(os.environ["CARGO_TARGET_DIR"], os.environ.get("PROFILE", "debug"))
        log = os.path.join(self.directory, "pintail.log")
        self.server = Service("Pintail", [os.path.join(programs, "pintail"), "serve"], log, env=self._environment(programs))
        self.running.append(self.server)
        self.start_server()
        for org, catalogs in self.orgs.items():
            self.make(org, catalogs)

    def _environment(self, programs):
        chain, key = self.certificates.default
        settings = {
            "data_dir": self.data, "listen": "127.0.0.1:0", "admin_listen": "127.0.0.1:0", "admin_tls": "on", "store_url": self.postgres.url,
            "worker_program": os.path.join(programs, "pintail-worker"), "extension_dir": os.environ["PINTAIL_EXTENSION_DIR"], "tls_cert": chain,
            "tls_key": key, "tls_dir": self.certificates.sni, "host_suffixes": SUFFIX, "default_org": "", "workers_max": 16,
            # Guesses all come from one address; bans would answer for the walls behind them. tests/it/authentication.rs has bans.
            "ban_address_after": 0, "ban_user_after": 0,
        }
        if self.store:
            settings |= {"s3_bucket": BUCKET, "s3_endpoint": self.store.endpoint, "s3_region": REGION, "s3_tls": "off"}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PINTAIL_")}
        return inherited | {f"PINTAIL_{name.upper()}": str(value) for name, value in (settings | self.settings).items()}

    def start_server(self):
        """Starts the server, again after it was stopped; it listens on other ports then."""
        runtime = os.path.join(self.data, "runtime.json")
        if os.path.exists(runtime):
            os.remove(runtime)
        self.server.start()

        def started():
            assert self.server.is_running(), f"the server ended:\n{self.server.tail()}"
            return os.path.exists(runtime)

        eventually("the server starts", started, 120)
        with open(runtime) as file:
            runtime = json.load(file)
        self.port, admin_port = (int(runtime[name].rsplit(":", 1)[1]) for name in ("listen", "admin"))
        with open(os.path.join(self.data, "admin.token")) as file:
            local = Admin(admin_port, file.read().strip(), self.certificates.ca)
        name = f"e2e-{secrets.token_hex(4)}"
        made = local.ask("POST", "/tokens", {"name": name, "role": "admin"})
        self.admin = Admin(admin_port, made["token"], self.certificates.ca)

    def make(self, org, catalogs):
        """Makes an organisation, its user and its catalogs through the admin API."""
        self.admin.org(org)
        self.passwords.setdefault(org, secrets.token_urlsafe(12))
        self.admin.user(org, USER, self.passwords[org])
        if org == ALIAS[0]:
            self.admin.ask("PUT", f"/orgs/{org}/hosts/{ALIAS[1]}")
        for name, kind in catalogs.items():
            self.admin.catalog(org, name, self._catalog(kind))

    def _catalog(self, kind):
        if kind.startswith("s3"):
            key = self.store.keys[kind.split()[1]]
            return {"kind": "ducklake", "storage": {"at": "s3", "target": {"key_id": key.id, "secret": key.secret}}}
        return {"local": {"kind": "ducklake"}, "file": {"kind": "duckdb_file"}, "memory": {"kind": "memory"}}[kind]

    def parameters(self, org, catalog, **changes):
        """What a client of an organisation connects with."""
        return {
            "host": host_of(org), "hostaddr": "127.0.0.1", "port": self.port, "user": USER, "password": self.passwords.get(org, ""),
            "dbname": catalog, "sslmode": "verify-full", "sslrootcert": self.certificates.ca, "connect_timeout": 60,
        } | changes

    def connect(self, org, catalog="lake", autocommit=True, **changes):
        return psycopg.connect(**self.parameters(org, catalog, **changes), autocommit=autocommit)

    def environment(self, org, catalog, **changes):
        """The same for programs over libpq."""
        names = {"dbname": "PGDATABASE", "connect_timeout": "PGCONNECT_TIMEOUT"}
        parameters = self.parameters(org, catalog, **changes)
        variables = {names.get(name, f"PG{name.upper()}"): str(value) for name, value in parameters.items()}
        return os.environ | variables

    def _stop(self):
        for service in reversed(self.running):
            service.stop()
        if os.environ.get("PINTAIL_E2E_KEEP"):
            print(f"kept: {self.directory}")
        else:
            shutil.rmtree(self.directory, ignore_errors=True)
