"""Certificates from an ACME authority: asked for, shown by server name, renewed. Usage: acme.py PEBBLE (the authority's program)."""
import json
import os
import socket
import socketserver
import ssl
import sys
import threading
import urllib.request

from installation import Installation
from service import Service, eventually, free_ports

SUFFIX = "given.example"
# Below the suffix, and the organisation's own.
GIVEN = (f"acme.{SUFFIX}", "data.own.example")
# Nobody finds it, so nothing can be proven for it.
LOST = "nobody.example"
# The authority's certificates are good for so many seconds, so that one is seen to be renewed.
VALID = 30


class Question(socketserver.StreamRequestHandler):
    """What is asked of a name server over TCP, where each message comes after its length."""

    def handle(self):
        while length := self.rfile.read(2):
            answer = self._answer(self.rfile.read(int.from_bytes(length, "big")))
            self.wfile.write(len(answer).to_bytes(2, "big") + answer)

    @staticmethod
    def _answer(message):
        """Every name is this machine, but for the lost one."""
        end = message.index(b"\0", 12) + 5
        question, kind = message[12:end], message[end - 4:end - 2]
        lost = question.lower().startswith(b"\x06nobody")
        found = kind == b"\0\1" and not lost
        counts = b"\0\1" + (b"\0\1" if found else b"\0\0") + b"\0\0\0\0"
        record = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1" if found else b""
        return message[:2] + (b"\x81\x83" if lost else b"\x81\x80") + counts + question + record


class Authority:
    """Pebble, which asks `port` for proofs."""

    def __init__(self, program, installation, port):
        directory = installation.directory
        api, management = free_ports(2)
        chain, key = installation.certificates.default
        names = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Question)
        names.daemon_threads = True
        threading.Thread(target=names.serve_forever, daemon=True).start()
        config = os.path.join(directory, "pebble.json")
        with open(config, "w") as file:
            json.dump({"pebble": {
                "listenAddress": f"127.0.0.1:{api}", "managementListenAddress": f"127.0.0.1:{management}", "certificate": chain,
                "privateKey": key, "httpPort": port, "tlsPort": port, "ocspResponderURL": "", "externalAccountBindingRequired": False,
                "profiles": {"default": {"description": "short", "validityPeriod": VALID}},
            }}, file)
        self.directory = f"https://localhost:{api}/dir"
        self.roots = f"https://localhost:{management}/roots/0"
        command = [program, "-config", config, "-dnsserver", f"127.0.0.1:{names.server_address[1]}"]
        environment = os.environ | {"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_AUTHZREUSE": "0"}
        self.service = Service("the ACME authority", command, os.path.join(directory, "pebble.log"), env=environment)


class Asking(Installation):
    """An installation beside an authority whose own certificate is made with the installation's."""

    def certificates_made(self):
        (port,) = free_ports(1)
        self.authority = Authority(sys.argv[1], self, port)
        self.running.append(self.authority.service.start())
        self.settings |= {
            "acme_directory": self.authority.directory, "acme_root": self.certificates.ca, "acme_listen": f"127.0.0.1:{port}",
            "acme_contacts": "ops@pintail.example", "host_suffixes": f"db.pintail.example,{SUFFIX}",
        }


def shown(port, host, authority):
    """The serial number of the certificate that a client sees, or `None` where it is not the authority's for the host."""
    context = ssl.create_default_context(cadata=authority)
    context.set_alpn_protocols(["postgresql"])
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as plain, context.wrap_socket(plain, server_hostname=host) as tls:
            return tls.getpeercert()["serialNumber"]
    except ssl.SSLCertVerificationError:
        return None


def main():
    with Asking({"acme": {"scratch": "memory"}}) as installation:
        installation.admin.ask("PUT", "/orgs/acme/hosts/data.own.example")
        installation.admin.ask("PUT", f"/orgs/acme/hosts/{LOST}")
        trust = ssl.create_default_context(cafile=installation.certificates.ca)
        root = urllib.request.urlopen(installation.authority.roots, context=trust).read().decode()
        first = {host: eventually(f"a certificate for {host}", lambda: shown(installation.port, host, root)) for host in GIVEN}
        assert len(set(first.values())) == 2
        pem = os.path.join(installation.directory, "given.pem")
        with open(pem, "w") as file:
            file.write(root)
        for host in GIVEN:
            with installation.connect("acme", "scratch", host=host, sslrootcert=pem, channel_binding="require") as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)
        # The operator's own certificates go on as they were.
        with installation.connect("acme", "scratch") as connection:
            assert connection.execute("SELECT 2").fetchone() == (2,)
        assert shown(installation.port, LOST, root) is None
        for host in GIVEN:
            eventually(f"another certificate for {host}", lambda: shown(installation.port, host, root) not in (None, first[host]))
        account = [name for name in os.listdir(os.path.join(installation.data, "acme")) if name.startswith("account-")]
        assert len(account) == 1
        # After a restart the same account goes on, and what was given is shown at once.
        installation.server.stop()
        installation.start_server()
        assert all(shown(installation.port, host, root) for host in GIVEN)
        seen = installation.server.tail(400)
        assert LOST in seen and "gave no certificate" in seen, "the failure is told"
    print("acme: fine")


if __name__ == "__main__":
    main()
