"""An Iceberg warehouse as an organisation's catalog: made by the admin API, used by SQL, its files in its own prefix."""
import os
import re
import secrets
import subprocess
import sys

import psycopg

from installation import BUCKET, REGION, Installation
from service import Service, eventually

CACHE = os.path.join(os.environ["PINTAIL_CACHE"], "e2e/iceberg")


class RestCatalog:
    """The reference REST catalog with OAuth2, over the run's S3 store."""

    def __init__(self, installation, key):
        self.secret = secrets.token_hex(12)
        self.warehouse = f"s3://{BUCKET}/acme/ice"
        directory = os.path.join(installation.directory, "iceberg")
        os.mkdir(directory)
        environment = os.environ | {
            "S3_ENDPOINT": f"http://{installation.store.endpoint}", "S3_KEY_ID": key.id, "S3_SECRET": key.secret,
            "WAREHOUSE": self.warehouse, "DIRECTORY": directory, "CLIENT_ID": "acme", "CLIENT_SECRET": self.secret, "TOKEN_SECONDS": "20",
        }
        command = ["java", "-Xmx256m", "-cp", f"{CACHE}/classes:{CACHE}/lib/*", "Catalog"]
        self.service = Service("the Iceberg catalog", command, os.path.join(directory, "log"), env=environment).start()
        installation.running.append(self.service)
        self.url = f"http://127.0.0.1:{eventually('the Iceberg catalog starts', self._port)}"

    def _port(self):
        with open(self.service.log) as file:
            match = re.search(r"^(\d+)$", file.read(), re.MULTILINE)
        return match and match.group(1)

    def description(self, key, secret=None):
        auth = {"by": "oauth2", "server_uri": f"{self.url}/v1/oauth/tokens", "client_id": "acme", "client_secret": secret or self.secret}
        return {
            "kind": "iceberg", "endpoint": self.url, "warehouse": self.warehouse, "auth": auth, "locations": [f"{self.warehouse}/"],
            "storage": {"key_id": key.id, "secret": key.secret, "region": REGION},
        }


def run():
    with Installation(orgs={"acme": {"lake": "s3 acme"}, "beta": {"lake": "s3 beta"}}) as installation:
        key = installation.store.keys["acme"]
        rest = RestCatalog(installation, key)
        refused = installation.admin.ask("PUT", "/orgs/acme/catalogs/wrong", rest.description(key, "wrong"))
        assert refused["state"] == "failed" and "wrong" not in refused["reason"], refused
        made = installation.admin.ask("PUT", "/orgs/acme/catalogs/ice", rest.description(key))
        assert made["state"] == "ready", made
        with installation.connect("acme", "ice") as session:
            assert session.execute("SELECT current_database()").fetchone() == ("ice",)
            session.execute("CREATE SCHEMA IF NOT EXISTS sales")
            session.execute("CREATE TABLE sales.orders (id int, what text)")
            session.execute("INSERT INTO sales.orders VALUES (1, 'one'), (2, 'two')")
            assert session.execute("SELECT id, what FROM sales.orders ORDER BY id").fetchall() == [(1, "one"), (2, "two")]
            try:
                session.execute("CREATE TABLE sales.keyed (id int PRIMARY KEY)")
            except psycopg.errors.FeatureNotSupported:
                pass
            else:
                raise AssertionError("a key that Iceberg does not have was accepted")
        with installation.connect("acme", "lake") as session:
            session.execute("CREATE TABLE names AS SELECT 1 AS id, 'ann' AS name")
            rows = session.execute("SELECT name, what FROM names JOIN ice.sales.orders USING (id)").fetchall()
            assert rows == [("ann", "one")], rows
        try:
            installation.connect("beta", "ice")
        except psycopg.OperationalError as error:
            assert "password authentication failed" in str(error), error
        else:
            raise AssertionError("another organisation's warehouse was opened")
        files = [name for name in installation.store.objects() if name.startswith("acme/ice/")]
        assert any("orders" in name and name.endswith(".parquet") for name in files), files
    print("an Iceberg warehouse is made, written, joined and closed to others")


if __name__ == "__main__":
    if not os.path.exists(os.path.join(CACHE, "classes/Catalog.class")):
        print("skipped: the reference catalog is not in the cache (e2e/iceberg.sh --fetch)")
        sys.exit(0)
    run()
