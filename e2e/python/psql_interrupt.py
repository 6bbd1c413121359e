"""Ctrl-C in psql at a terminal: the statement ends in under a second and the session goes on."""
import os
import pty
import select
import sys
import time

LIMIT = 20


class Terminal:
    def __init__(self, *command):
        self.seen = ""
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "dumb"
            os.environ["PAGER"] = "cat"
            os.execvp(command[0], command)

    def type(self, text):
        os.write(self.file, text.encode())

    def expect(self, text, limit=LIMIT):
        """Waits until `text` is printed; what was printed up to it is gone afterwards."""
        deadline = time.monotonic() + limit
        while text not in self.seen:
            ready, _, _ = select.select([self.file], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                sys.exit(f"psql did not print {text!r} within {limit} s, but {self.seen!r}")
            try:
                self.seen += os.read(self.file, 65536).decode(errors="replace")
            except OSError:
                sys.exit(f"psql ended without {text!r}: {self.seen!r}")
        self.seen = self.seen.split(text, 1)[1]


terminal = Terminal("psql", "-X", "-n", "-v", "PROMPT1=ready> ", "-P", "pager=off")
terminal.expect("ready> ")
terminal.type("SELECT 40 + 1 AS before;\r")  # so that the worker is there
terminal.expect("(1 row)")
terminal.expect("ready> ")
terminal.type("SELECT count(*) FROM range(1000000000000);\r")
time.sleep(0.5)  # into the statement; nothing at the terminal shows when it has begun
start = time.monotonic()
terminal.type("\x03")
terminal.expect("canceling statement due to user request")
took = time.monotonic() - start
terminal.type("SELECT 40 + 2 AS after;\r")
terminal.expect("(1 row)")
terminal.type("\\q\r")
os.waitpid(terminal.pid, 0)
if took > 1:
    sys.exit(f"the cancel took {took:.2f} s")
