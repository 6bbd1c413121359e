"""The PostgreSQL behind everything goes away and comes back: stopped, killed, frozen.

Sessions that do not need it go on, others are told so in time and stay usable, logins are judged from what is known, and
everything recovers without a restart. PINTAIL_OUTAGE_SECONDS (5) is how long it is away each time.
"""
import os
import queue
import threading
import time

import psycopg

from absence import AWAY, CANCELED, Steady, outages
from admin import Problem
from installation import USER, Installation
from service import eventually

SECONDS = float(os.environ.get("PINTAIL_OUTAGE_SECONDS", "5"))
ORGS = {"acme": {"lake": "local", "scratch": "memory", "file": "file"}, "beta": {"lake": "local"}}
# The session's own limit, the server's patience with an engine that does not stop then, and what an answer may take beyond.
STATEMENT_TIMEOUT, STOPPING, GRACE = 4, 5, 3
# How long a worker may take to start; a session's first statement tries two.
START_TIMEOUT = 6
API_TIMEOUT = 15
# How long after its return everything must work again.
RECOVERY = 30


class Sessions:
    """Open sessions of every kind."""

    def __init__(self, installation):
        connect = installation.connect
        self.memory, self.file = connect("acme", "scratch"), connect("acme", "file")
        for session in (self.memory, self.file):
            session.execute("CREATE TABLE IF NOT EXISTS ticks (n int)")
        # One that has worked, one in the midst of a transaction, one that has asked for nothing yet.
        self.warm, self.writer, self.within, self.cold = self.lakes = [connect("acme", "lake") for _ in range(4)]
        for session in (self.warm, self.writer):
            session.execute("SELECT count(*) FROM kept")
        for session in self.lakes:
            session.execute(f"SET statement_timeout = '{STATEMENT_TIMEOUT}s'")
        self.within.execute("BEGIN")
        self.within.execute("INSERT INTO kept VALUES ('lost')")

    def close(self):
        for session in (self.memory, self.file, *self.lakes):
            session.close()


# What was not as it should be; told together at the end, because an outage takes its time.
wrong = []


def expect(condition, text):
    if not condition:
        print(f"  WRONG: {text}")
        wrong.append(text)


def fails(what, states, action, within=STATEMENT_TIMEOUT + STOPPING):
    """Begins an action that is to end in an error with one of the SQLSTATEs, in time; gives what waits for its end."""
    start, ended = time.monotonic(), queue.Queue()

    def run():
        try:
            action()
            ended.put((time.monotonic() - start, None))
        except psycopg.Error as error:
            ended.put((time.monotonic() - start, error))

    def wait():
        try:
            took, error = ended.get(timeout=max(0, start + within + GRACE - time.monotonic()))
        except queue.Empty:
            expect(False, f"{what}: no answer in {within + GRACE} s")
            return
        if error is None:
            expect(False, f"{what}: no error")
            return
        text = " ".join(str(error).split())
        print(f"  {what}: {error.sqlstate or ''} after {1000 * took:.0f} ms: {text[:150]}")
        state = error.sqlstate or ("28P01" if "password authentication failed" in text else "")
        expect(state.startswith(tuple(states)), f"{what}: {state} {text}")
        # The client's own words name the port that it asked.
        expect("127.0.0.1" not in text.split("failed: FATAL")[-1], f"{what}: tells where PostgreSQL is: {text}")

    threading.Thread(target=run, daemon=True).start()
    return wait


def usable(what, session):
    """A connection is open and takes statements, as PostgreSQL's after an error; it may be told of the outage again."""
    try:
        session.execute("ROLLBACK")
        session.execute("SELECT 40 + 2")
    except psycopg.Error as error:
        expect((error.sqlstate or "").startswith(AWAY + CANCELED), f"{what}, afterwards: {error.sqlstate} {error}")
    expect(not session.closed, f"{what}: the connection is closed")


def away(installation, outage, sessions):
    """What holds while PostgreSQL is away."""

    def first():
        with installation.connect("beta", "lake", options=f"-c statement_timeout={STATEMENT_TIMEOUT}s") as session:
            session.execute("SELECT count(*) FROM kept")

    count, statement = "SELECT count(*) FROM kept", STATEMENT_TIMEOUT + STOPPING
    waits = [(fails(what, outage.states, lambda session=session, sql=sql: session.execute(sql), within), what, session)
             for what, session, sql, within in (("a read in an open session", sessions.warm, count, statement),
                                                ("a write in an open session", sessions.writer, "INSERT INTO kept VALUES ('lost')",
                                                 statement), ("the end of a transaction", sessions.within, "COMMIT", statement),
                                                ("the first statement of a session", sessions.cold, count, 2 * START_TIMEOUT),
                                                )]
    login = fails("a login that needs it, at its first statement", outage.states, first, 2 * START_TIMEOUT)
    for wait, what, session in waits:
        wait()
        # What a transaction held is gone with an engine that does not answer, and the session with it.
        if not outage.silent:
            usable(what, session)
        elif session is not sessions.within:
            expect(not session.closed, f"{what}: the connection is closed")
    login()
    start = time.monotonic()
    try:
        with installation.connect("acme", "scratch", options=f"-c statement_timeout={STATEMENT_TIMEOUT}s") as session:
            expect(session.execute("SELECT 6 * 7").fetchone() == (42,), "a login that needs no PostgreSQL: no answer")
        print(f"  a login that needs no PostgreSQL: works, {1000 * (time.monotonic() - start):.0f} ms")
    except psycopg.Error as error:
        expect(False, f"a login that needs no PostgreSQL: {error.sqlstate} {error}")
    fails("a login with a wrong password", ("28P01", "08"), lambda: installation.connect("acme", "scratch", password="wrong"))()
    api(installation)


def api(installation):
    """The admin API says 503, not 500; what needs no store goes on."""
    for method, path, expected in (("GET", "/healthz", (200,)), ("GET", "/api/v1/orgs", (200, 503)), ("GET", "/readyz", (503,)),
                                   ("PUT", "/api/v1/orgs/beta", (503,)), ("GET", "/metrics", (200,))):
        start = time.monotonic()
        try:
            status, body = installation.admin.raw(method, path, {} if method == "PUT" else None, API_TIMEOUT)
        except TimeoutError:
            expect(False, f"{method} {path}: no answer in {API_TIMEOUT} s")
            continue
        print(f"  {method} {path}: {status} after {1000 * (time.monotonic() - start):.0f} ms")
        expect(status in expected, f"{method} {path}: {status} {body[:200]}")


def recovered(installation, outage, sessions, kept):
    """The same sessions and new ones work, and nothing is lost or half done."""

    def count(session):
        try:
            session.execute("ROLLBACK")
            return session.execute("SELECT count(*), count(*) FILTER (whose = 'lost') FROM kept").fetchone()
        except psycopg.Error:
            return (kept, 0) if session.closed else None

    start = time.monotonic()
    for what in ("warm", "writer", "within", "cold"):
        if getattr(sessions, what).closed:
            expect(outage.silent and what == "within", f"the {what} session was closed")
            continue
        found = eventually(f"the {what} session recovers", lambda what=what: count(getattr(sessions, what)), RECOVERY, 0.2)
        # Whether a write that was told as failed was done is the one thing that may be either way.
        assert found[0] - found[1] == kept, f"{what}: {found} and not {kept}"
        expect(not getattr(sessions, what).closed, f"the {what} session was closed when it tried again")
    print(f"  sessions work again {time.monotonic() - start:.1f} s after its return")
    with installation.connect("acme", "lake") as session:
        session.execute("INSERT INTO kept VALUES ('kept')")

    def changed():
        try:
            return installation.admin.ask("PUT", f"/orgs/beta/users/{USER}", {"password": installation.passwords["beta"]})
        except Problem as problem:
            assert problem.status == 503, problem
            return None

    eventually("the admin API recovers", changed, RECOVERY, 0.2)
    assert installation.admin.raw("GET", "/readyz")[0] == 200
    with installation.connect("beta", "lake") as session:
        assert session.execute("SELECT count(*) FROM kept").fetchone() == (1,)
    print(f"  all works again {time.monotonic() - start:.1f} s after its return")
    return kept + 1


def main():
    with Installation(ORGS, worker_queue_timeout="10s", worker_start_timeout=f"{START_TIMEOUT}s", store_poll="2s") as installation:
        pid = installation.server.pid
        for org in ORGS:
            with installation.connect(org) as session:
                session.execute("CREATE TABLE kept AS SELECT 'kept' AS whose")
        kept = 1
        for outage in outages(installation.postgres):
            print(f"PostgreSQL {outage.name} for {SECONDS:.0f} s")
            sessions = Sessions(installation)
            steady = [Steady(session, "INSERT INTO ticks SELECT count(*) FROM ticks") for session in (sessions.memory, sessions.file)]
            outage.go()
            back = time.monotonic() + SECONDS
            for session in steady:
                session.start()
            try:
                away(installation, outage, sessions)
                time.sleep(max(0, back - time.monotonic()))
            finally:
                outage.come()
            for session in steady:
                session.end()
            print(
                f"  sessions that do not need it: {', '.join(f'{one.answers} statements, the longest {1000 * one.longest:.0f} ms' for one in steady)}"
            )
            kept = recovered(installation, outage, sessions, kept)
            sessions.close()
        assert installation.server.is_running() and installation.server.pid == pid, "the server ended"
    assert not wrong, "\n".join(wrong)
    print("outage: fine")


if __name__ == "__main__":
    main()
