"""Certificates made for one run: a default one, a wildcard, and exact ones, all of one authority."""
import os

import trustme

SUFFIX = "db.pintail.example"


class Certificates:
    """Files below a directory: `ca.pem`, `default.pem` with `default.key`, and `sni/` of pairs by name."""

    def __init__(self, directory, exact):
        self.directory = os.path.join(directory, "tls")
        os.makedirs(os.path.join(self.directory, "sni"))
        self.authority = trustme.CA()
        self.ca = os.path.join(self.directory, "ca.pem")
        self.authority.cert_pem.write_to_path(self.ca)
        self.default = self._issue(self.directory, "default", "pem", "localhost", "127.0.0.1")
        self.sni = os.path.join(self.directory, "sni")
        self._issue(self.sni, "wildcard", "crt", f"*.{SUFFIX}")
        for name in exact:
            self._issue(self.sni, name, "crt", name)

    def _issue(self, directory, file, extension, *names):
        certificate = self.authority.issue_cert(*names)
        chain, key = (os.path.join(directory, f"{file}.{end}") for end in (extension, "key"))
        certificate.private_key_pem.write_to_path(key)
        os.chmod(key, 0o600)
        for index, pem in enumerate(certificate.cert_chain_pems):
            pem.write_to_path(chain, append=index > 0)
        return chain, key
