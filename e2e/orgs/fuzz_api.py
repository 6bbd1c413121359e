"""The admin API under generated requests (schemathesis): no request ends in a 500, the server stays up and goes on working.

PINTAIL_FUZZ_SECONDS (60) bounds the run, PINTAIL_FUZZ_SEED repeats one, PINTAIL_FUZZ_CHECKS chooses checks (`all` for every one).
"""
import json
import os
import random
import subprocess
import sys

from installation import ORGS, USER, Installation

# What is held of every answer. The rest of the tool's checks are opinions: a name that is refused, for instance, need not
# have been refusable by a schema.
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,unsupported_method"
DOCUMENT = os.path.join(os.path.dirname(__file__), "../../docs/openapi.json")
# Half of the requests name what exists, so that they come further than to a 404.
KNOWN = {
    "path.org": sorted(ORGS), "path.user": [USER, "fuzz"], "path.catalog": sorted({name
                                                                                   for org in ORGS.values()
                                                                                   for name in org}), "path.host": ["fuzz.pintail.example"],
    "path.name": ["fuzz"], "path.pid": [1, 2, 3, 4],
}


def configuration(directory):
    """The tool's configuration file; JSON strings are TOML strings."""
    lines = []
    for name, values in KNOWN.items():
        lines += [f"[dictionaries.{name.replace('.', '_')}]", f"values = {json.dumps(values)}"]
    lines.append("[parameters]")
    lines += [f'"{name}" = {{ dictionary = "{name.replace(".", "_")}", probability = 0.5 }}' for name in KNOWN]
    path = os.path.join(directory, "schemathesis.toml")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path


# Revoking tokens is tried by itself: among other requests the tool would find its own token's name, and be let in no more.
REVOKE = "/api/v1/tokens/{name}"
# What is tried, and for how much of the time. Valid bodies by themselves, because few of the others are.
RUNS = [(0.1, ["--include-path", REVOKE]), (0.3, ["--include-method", "PUT", "--mode", "positive"]), (0.6, ["--exclude-path", REVOKE]), ]


def fuzz(installation, seconds, seed, *selection):
    """The tool's exit status."""
    admin = installation.admin
    program = os.path.join(os.path.dirname(sys.executable), "schemathesis")
    command = [program, "--config-file", configuration(installation.directory), "--no-color", "run", os.path.abspath(DOCUMENT)]
    command += ["--url", f"https://127.0.0.1:{admin.port}", "--tls-verify", admin.ca, "--header", f"Authorization: Bearer {admin.token}"]
    command += ["--checks", os.environ.get("PINTAIL_FUZZ_CHECKS", CHECKS), "--max-time", str(max(5, int(seconds))), "--seed", str(seed)]
    command += ["--generation-database", "none", "--request-timeout", "30", "--continue-on-failure", "--suppress-health-check", "all"]
    command += ["--warnings", "off", *selection]
    return subprocess.run(command, cwd=installation.directory, timeout=4 * seconds + 60).returncode


def main():
    seconds = int(os.environ.get("PINTAIL_FUZZ_SECONDS", "60"))
    seed = int(os.environ.get("PINTAIL_FUZZ_SEED", random.randrange(2**31)))
    print(f"seed {seed}, {seconds} s")
    with Installation() as installation:
        pid, status = installation.server.pid, 0
        sessions = [installation.connect(org) for org in sorted(ORGS)]
        for share, selection in RUNS:
            status |= fuzz(installation, share * seconds, seed, *selection)
        for session in sessions:
            session.close()
        assert installation.server.is_running() and installation.server.pid == pid, "the server ended"
        with open(installation.server.log, errors="replace") as file:
            panics = [line for line in file if "panicked" in line]
        assert not panics, panics
        # What went on before does not keep a new organisation from being made and used.
        installation.make("afterwards", {"scratch": "memory", "disk": "local"})
        for catalog in ("scratch", "disk"):
            with installation.connect("afterwards", catalog) as connection:
                assert connection.execute("SELECT 6 * 7").fetchone() == (42,)
        assert status == 0, f"schemathesis found failures (status {status})"
    print("the admin API under fuzz: fine")


if __name__ == "__main__":
    main()
