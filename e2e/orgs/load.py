"""Many organisations open many connections at once on few workers: all are served, in order, and none sees another's.

PINTAIL_LOAD=full for 50 organisations and 200 connections, PINTAIL_LOAD=small for a minute of a debug build; the default is between.
"""
import concurrent.futures
import os
import threading
import time

import psycopg

from installation import Installation
from service import descendants, eventually

ORGS, CONNECTIONS = {"full": (50, 200), "small": (10, 30)}.get(os.environ.get("PINTAIL_LOAD"), (16, 64))
WORKERS = 8
IDLE_TTL = 2
# Between two sessions that ask for a worker: those of one organisation are as many apart as there are organisations.
PACE = 0.01
# What allocators keep of a load, at most.
KEPT = 48 << 20
# The organisations with an even number have one worker at most, so that the order within them shows.
SINGLE = {"limits": {"workers": 1}}


def name(number):
    return f"org{number:02}"


def make(installation, number):
    """An organisation, its lake on local disk, and a row that only it has."""
    org = name(number)
    installation.make(org, {"lake": "local"})
    if number % 2 == 0:
        installation.admin.org(org, **SINGLE)
    with installation.connect(org) as session:
        session.execute(f"CREATE TABLE mark AS SELECT 'mark of {org}' AS value")
        session.execute("CREATE TABLE served (connection int)")


class Client(threading.Thread):
    """One connection: opens with all others, asks in its turn, looks around, leaves something, goes."""

    def __init__(self, installation, number, barrier):
        super().__init__(daemon=True)
        self.installation, self.number, self.barrier = installation, number, barrier
        self.org = name(number % ORGS)
        self.turn = threading.Event()
        self.error = None
        self.opened = self.asked = self.served = None

    def run(self):
        try:
            self.barrier.wait()
            with self.installation.connect(self.org) as session:
                self.opened = time.monotonic()
                self.barrier.wait()
                self.turn.wait()
                self.asked = time.monotonic()
                found = session.execute("SELECT value FROM mark").fetchall()
                self.served = time.monotonic()
                assert found == [(f"mark of {self.org}", )], found
                self._look_and_leave(session)
        except Exception as error:  # told by the main thread
            self.error = error

    def _look_and_leave(self, session):
        seen = session.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'left_by%'").fetchone()
        assert seen == (0,), f"{seen} temporary tables of others"
        assert session.execute("SELECT getvariable('left_by') IS NULL").fetchone() == (True, ), "a variable of another's"
        assert session.execute("SHOW application_name").fetchone() == ("",), "a setting of another's"
        session.execute(f"CREATE TEMP TABLE left_by_{self.number} AS SELECT {self.number} AS n")
        session.execute(f"SET VARIABLE left_by = {self.number}")
        session.execute(f"SET application_name = 'left by {self.number}'")
        for _ in range(20):
            try:
                session.execute(f"INSERT INTO served VALUES ({self.number})")
                return
            except psycopg.errors.SerializationFailure:  # two of the organisation's wrote at once
                continue
        raise AssertionError("never written")


class Watch(threading.Thread):
    """The pool during the load."""

    def __init__(self, admin):
        super().__init__(daemon=True)
        self.admin, self.over = admin, threading.Event()
        self.most_workers = self.most_waiting = 0

    def run(self):
        while not self.over.wait(0.25):
            status = self.admin.ask("GET", "/status")["server"]
            self.most_workers = max(self.most_workers, status["workers"])
            self.most_waiting = max(self.most_waiting, status["waiting"])


def resident(installation):
    """Resident bytes of the server and its workers."""
    total = 0
    for pid in [installation.server.pid, *descendants(installation.server.pid)]:
        try:
            with open(f"/proc/{pid}/status") as file:
                fields = dict(line.split(":", 1) for line in file)
        except OSError:
            continue
        if fields["Name"].strip().startswith("pintail"):
            total += int(fields.get("VmRSS", "0 kB").split()[0]) << 10
    return total


def quiet(installation):
    """Waits until no organisation has a worker; gives the resident bytes then."""

    def idle():
        server = installation.admin.ask("GET", "/status")["server"]
        return server["workers"] == 0 and server["sessions"] == 0 and server["waiting"] == 0 and server["spares"] == 1

    eventually("every worker is let go", idle, 30 * IDLE_TTL, 0.2)
    # The smallest of a few: a spare has just begun, an allocator gives back a little later.
    found = []
    for _ in range(10):
        time.sleep(0.3)
        found.append(resident(installation))
    return min(found)


def rush(installation):
    """All clients, served."""
    barrier = threading.Barrier(CONNECTIONS + 1)
    clients = [Client(installation, number, barrier) for number in range(CONNECTIONS)]
    for client in clients:
        client.start()
    start = time.monotonic()
    barrier.wait()
    barrier.wait(120)
    opened = time.monotonic() - start
    for client in clients:
        client.turn.set()
        time.sleep(PACE)
    for client in clients:
        client.join(600)
    took = time.monotonic() - start
    failed = [f"{client.number} of {client.org}: {client.error!r}" for client in clients if client.error or not client.served]
    assert not failed, f"{len(failed)} of {CONNECTIONS} failed: {failed[:5]}"
    waits = sorted(client.served - client.asked for client in clients)
    print(
        f"{CONNECTIONS} connections opened in {opened:.1f} s, all were served in {took:.1f} s; "
        f"first answers after {waits[len(waits) // 2]:.1f} s (median), {waits[-1]:.1f} s (longest)"
    )
    return clients


def in_order(clients):
    """With one worker, an organisation's sessions are served as they asked."""
    for org in sorted({client.org for client in clients if int(client.org[3:]) % 2 == 0}):
        asked = sorted((client for client in clients if client.org == org), key=lambda client: client.asked)
        served = sorted(asked, key=lambda client: client.served)
        assert asked == served, f"{org}: asked {[client.number for client in asked]}, served {[client.number for client in served]}"


def nothing_lost(installation):
    for number in range(ORGS):
        expected = [(client,) for client in range(CONNECTIONS) if client % ORGS == number]
        with installation.connect(name(number)) as session:
            assert session.execute("SELECT connection FROM served ORDER BY 1").fetchall() == expected, name(number)


def main():
    settings = {
        "workers_max": WORKERS, "worker_idle_ttl": f"{IDLE_TTL}s", "worker_queue_timeout": "10m", "worker_start_timeout": "2m",
        "authentication_timeout": "2m"
    }
    with Installation({}, **settings) as installation:
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: make(installation, number), range(ORGS)))
        print(f"{ORGS} organisations made in {time.monotonic() - start:.1f} s")
        base = quiet(installation)
        before = installation.admin.metrics()
        watch = Watch(installation.admin)
        watch.start()
        clients = rush(installation)
        watch.over.set()
        watch.join()
        in_order(clients)
        nothing_lost(installation)
        after = installation.admin.metrics()
        gained = {
            key: int(after[f"pintail_{key}_total"] - before[f"pintail_{key}_total"])
            for key in ("workers_started", "workers_retired", "workers_lost")
        }
        print(f"at most {watch.most_workers} workers and {watch.most_waiting} waiting; {gained}")
        assert watch.most_workers <= WORKERS and watch.most_waiting > 0, "the pool was not full"
        assert gained["workers_retired"] >= ORGS - WORKERS and gained["workers_lost"] == 0, gained
        rest = quiet(installation)
        print(f"resident: {base >> 20} MiB before, {rest >> 20} MiB after")
        assert rest < base + KEPT, "memory was kept"
    print("load: fine")


if __name__ == "__main__":
    main()
