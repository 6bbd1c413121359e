"""Processes on loopback that end with the program, and waiting for what they do."""
import os
import signal
import socket
import subprocess
import sys
import time

PATIENCE = 90


def eventually(what, condition, seconds=PATIENCE, pause=0.05):
    """The first true answer of `condition`; fails when there is none in time."""
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(pause)


def free_ports(count):
    """Ports that are free now, all different."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class Service:
    """A program in the background; its output goes to a file."""

    def __init__(self, name, command, log, **options):
        self.name, self.command, self.log, self.options = name, command, log, options
        self.process = None

    def start(self):
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **self.options)
        return self

    @property
    def pid(self):
        return self.process.pid

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, number=signal.SIGTERM, seconds=40):
        """Asks it to end, and ends it where it does not."""
        if not self.is_running():
            return
        self.process.send_signal(number)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            print(f"{self.name} did not stop in {seconds} s", file=sys.stderr)
            self.kill()

    def kill(self):
        if self.is_running():
            self.process.kill()
            self.process.wait()

    def tail(self, lines=40):
        with open(self.log, errors="replace") as file:
            return "".join(file.readlines()[-lines:])


def descendants(pid):
    """Process ids of all that a process started, itself not included."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as file:
                    parents[int(entry)] = int(file.read().rsplit(b")", 1)[1].split()[1])
            except OSError:
                continue
    found, pending = [], [pid]
    while pending:
        parent = pending.pop()
        children = [child for child, of in parents.items() if of == parent]
        found += children
        pending += children
    return found


def alone():
    """Makes SIGTERM an ordinary end, so that what was started is stopped, and forgets servers that the environment names."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
