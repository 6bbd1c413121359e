"""A PostgreSQL of the run's own on TCP: SCRAM for everybody on every socket, never as root."""
import os
import secrets
import shutil
import signal
import subprocess

import psycopg

from service import Service, descendants, eventually, free_ports

NOBODY = 65534


class Postgres:
    """A cluster whose role `pintail` may make roles and owns the database `pintail`, and no more."""

    def __init__(self, directory):
        self.directory = os.path.join(directory, "postgres")
        self.data = os.path.join(self.directory, "data")
        self.superuser_password, self.password = secrets.token_urlsafe(18), secrets.token_urlsafe(18)
        (self.port,) = free_ports(1)
        os.makedirs(os.path.join(self.directory, "socket"))
        os.mkdir(self.data, 0o700)
        programs = self._readable_installation()
        self.owner = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        if self.owner:
            for path in (self.data, os.path.join(self.directory, "socket")):
                os.chown(path, NOBODY, NOBODY)
        self.environment = {"LD_LIBRARY_PATH": os.path.join(programs, "lib"), "PATH": "/usr/bin:/bin", "LC_ALL": "C"}
        self._initialise(os.path.join(programs, "bin"))
        command = [os.path.join(programs, "bin/postgres"), "-D", self.data, "-p", str(self.port)]
        for setting in ("listen_addresses=127.0.0.1", "fsync=off", "max_connections=300", f"unix_socket_directories={self.directory}/socket"):
            command += ["-c", setting]
        self.service = Service("PostgreSQL", command, os.path.join(directory, "postgres.log"), env=self.environment, cwd="/", **self.owner)

    def _readable_installation(self):
        """The fetched one; as root a copy, because another user may not enter root's cache."""
        installation = os.environ["PINTAIL_POSTGRES_DIR"]
        if os.geteuid() != 0:
            return installation
        os.chmod(self.directory, 0o755)
        copy = os.path.join(self.directory, "installation")
        shutil.copytree(installation, copy, symlinks=True)
        os.chmod(copy, 0o755)
        return copy

    def _initialise(self, programs):
        password = os.path.join(self.directory, "password")
        with open(password, "w") as file:
            file.write(self.superuser_password)
        os.chmod(password, 0o644)
        subprocess.run([
            os.path.join(programs, "initdb"), "-D", self.data, "--auth=scram-sha-256", "--username=postgres", "--no-sync", "--encoding=UTF8",
            f"--pwfile={password}"
        ],
                       check=True,
                       stdout=subprocess.DEVNULL,
                       env=self.environment,
                       cwd="/",
                       **self.owner,
                       )
        os.remove(password)

    def start(self):
        self.service.start()
        eventually("PostgreSQL answers", self.answers)
        return self

    def answers(self):
        if not self.service.is_running():
            # After a kill the dying processes of the one before still hold its memory for a moment.
            self.service.start()
        try:
            self.query("SELECT 1")
            return True
        except psycopg.OperationalError:
            return False

    def prepare(self):
        """Makes the role and the database of the configuration store."""
        self.query(f"CREATE ROLE pintail LOGIN CREATEROLE PASSWORD '{self.password}'")
        self.query("CREATE DATABASE pintail OWNER pintail")

    def stop(self):
        """As an operator does: statements that run are broken off."""
        self.service.stop(signal.SIGINT)

    def kill(self):
        """As a power cut does: every process at once."""
        children = descendants(self.service.pid)
        self.service.kill()
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass

    @property
    def url(self):
        return f"postgres://pintail:{self.password}@127.0.0.1:{self.port}/pintail"

    def query(self, sql, database="postgres"):
        """Rows of a statement of the superuser."""
        with psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user="postgres",
            password=self.superuser_password,
            dbname=database,
            autocommit=True,
            connect_timeout=5,
        ) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []
