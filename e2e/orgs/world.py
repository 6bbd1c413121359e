"""What lies outside of one organisation: another's rows and secrets, and everything that an attempt could change."""
import glob
import hashlib
import os
import secrets

from attempts.attempt import Scene
from installation import USER, host_of

PROBE = "/tmp/pintail-probe"
PROBES = (f"{PROBE}*", "/dev/shm/pintail-probe*", "/tmp/pintail-value*")
# Tables that an organisation's own doing changes, or time.
RESTLESS = ("pintail.audit", "pintail.secrets", "pintail.told", "pintail.tokens")


class World:
    """The installation with something of beta's to be after, and the names that attempts use."""

    def __init__(self, installation):
        self.installation = installation
        self.canary = f"canary-{secrets.token_hex(8)}"
        self.sessions = []
        for org, catalog in (("beta", "lake"), ("beta", "disk"), ("gamma_corp", "lake"), ("gamma_corp", "file")):
            session = installation.connect(org, catalog, application_name=f"app-{self.canary}")
            session.execute(f"CREATE TABLE vault AS SELECT i AS a, '{self.canary}' AS whose FROM range(100) AS r(i)")
            self.sessions.append(session)
        with installation.connect("acme", "lake") as session:
            session.execute("CREATE TABLE scratch_table AS SELECT 1::bigint AS a")
        with installation.connect("acme", "sales") as session:
            session.execute("CREATE TABLE scratch_table AS SELECT 1::bigint AS a")
        self.scene = self._scene()

    def _scene(self):
        installation = self.installation
        orgs = os.path.join(installation.data, "orgs")
        own_files = os.path.join(orgs, "acme/_files")
        (their_file, ) = glob.glob(os.path.join(orgs, "beta/disk/main/vault/*.parquet"))
        their_object = next(name for name in installation.store.objects() if name.startswith("beta/lake/main/vault/"))
        outside = os.path.join(installation.directory, "outside.csv")
        with open(outside, "w") as file:
            file.write(f"content\n{self.canary}\n")
        os.chmod(outside, 0o644)
        link = os.path.join(own_files, "link.parquet")
        os.symlink(their_file, link)
        key, postgres = installation.store.keys["acme"], installation.postgres
        return Scene(
            own_files=own_files,
            own_prefix="s3://lake/acme/lake/",
            their_object=f"s3://lake/{their_object}",
            their_file=their_file,
            their_directory=os.path.join(orgs, "beta/disk"),
            outside_file=outside,
            data_dir=installation.data,
            link=link,
            probe=f"{PROBE}-{secrets.token_hex(4)}",
            store_endpoint=installation.store.endpoint,
            postgres_port=postgres.port,
            admin_port=installation.admin.port,
            port=installation.port,
            dsn=f"host=127.0.0.1 port={postgres.port} user=pintail password={postgres.password} dbname=pintail",
            their_pid=self.sessions[1].info.backend_pid,
            key_id=key.id,
            key_secret=key.secret,
        )

    def secrets(self):
        """Texts that no session of acme's may be shown."""
        installation = self.installation
        texts = [self.canary, "root:x:0:0", installation.postgres.superuser_password, installation.admin.token, host_of("beta")]
        texts += [password for org, password in installation.passwords.items() if org != "acme"]
        texts += [key.secret for name, key in installation.store.keys.items() if not name.startswith("acme")] + [installation.store.all_seeing.secret]
        for name in ("admin.token", "sealing.keys"):
            with open(os.path.join(installation.data, name)) as file:
                texts.append(file.read().strip())
        return texts

    def look(self):
        """Everything outside of acme, by name, with its content's hash."""
        found = {}
        for name, tag in self.installation.store.entries():
            if not name.startswith("acme/"):
                found[f"object {name}"] = tag
        orgs = os.path.join(self.installation.data, "orgs")
        for pattern in (
            *PROBES, os.path.join(self.installation.directory, "*.csv"), os.path.join(orgs, "*"), os.path.join(orgs, "beta/**"),
            os.path.join(orgs, "gamma_corp/**"), os.path.join(self.installation.data, "*")
        ):
            for path in glob.glob(pattern, recursive=True, include_hidden=True):
                found[f"file {path}"] = _hash(path)
        # What acme's own lake and keys are is acme's to change.
        query = "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema|dl_acme__)'"
        for (table,) in self.installation.postgres.query(query, "pintail"):
            if table not in RESTLESS:
                digest = f"SELECT md5(coalesce(string_agg(t::text, chr(10) ORDER BY t::text), '')) FROM {table} AS t"
                found[f"table {table}"] = self.installation.postgres.query(digest, "pintail")[0][0]
        for kind, query in (("role", "SELECT rolname FROM pg_roles"), ("database", "SELECT datname FROM pg_database"),
                            ("schema", "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_'")):
            found |= {f"{kind} {name}": "" for (name,) in self.installation.postgres.query(query, "pintail")}
        return found

    def unharmed(self):
        """The others' sessions live, and see what they saw."""
        for session in self.sessions:
            rows = session.execute("SELECT count(*), min(whose) FROM vault").fetchone()
            assert rows == (100, self.canary), rows

    @property
    def user(self):
        return USER


def changes(before, after):
    """What came, went or changed."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _hash(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except IsADirectoryError:
        return "directory"
    except OSError:
        return "gone"
