"""Ways in which PostgreSQL goes and comes back, what clients may be told meanwhile, and who must not notice."""
import os
import signal
import threading
import time

from service import descendants

# What a client may be told while PostgreSQL is away: a connection failure, not now, an I/O error; in time's name, canceled.
AWAY = ("08", "57P03", "58030", "58000")
CANCELED = ("57014",)


class Outage:
    """A way in which PostgreSQL goes and comes back."""

    def __init__(self, name, postgres, go, come, silent=False):
        self.name, self.postgres, self.go, self.come = name, postgres, go, come
        # Whether connections are not refused but unanswered.
        self.silent = silent

    @property
    def states(self):
        return AWAY + CANCELED if self.silent else AWAY


def outages(postgres):

    def freeze(number):
        for pid in [postgres.service.pid, *descendants(postgres.service.pid)]:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    return [
        Outage("frozen", postgres, lambda: freeze(signal.SIGSTOP), lambda: freeze(signal.SIGCONT), silent=True),
        Outage("stopped", postgres, postgres.stop, postgres.start),
        Outage("killed", postgres, postgres.kill, postgres.start),
    ]


class Steady(threading.Thread):
    """A session that needs no PostgreSQL: asks without pause, and is answered at once."""

    def __init__(self, session, sql):
        super().__init__(daemon=True)
        self.session, self.sql, self.over = session, sql, threading.Event()
        self.answers, self.longest, self.error = 0, 0.0, None

    def run(self):
        try:
            while not self.over.wait(0.05):
                start = time.monotonic()
                self.session.execute(self.sql)
                self.longest = max(self.longest, time.monotonic() - start)
                self.answers += 1
        except Exception as error:  # told by the main thread
            self.error = error

    def end(self):
        self.over.set()
        self.join(60)
        assert self.error is None and self.answers > 0, f"{self.sql}: {self.error!r}"
