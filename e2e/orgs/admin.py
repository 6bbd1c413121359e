"""The admin API over HTTPS, as an operator's program asks it."""
import http.client
import json
import ssl
import urllib.parse


class Problem(Exception):
    """An answer that is no success."""

    def __init__(self, status, detail):
        super().__init__(f"{status}: {detail}")
        self.status, self.detail = status, detail


class Admin:
    """A client with a bearer token that trusts one authority."""

    def __init__(self, port, token, ca):
        self.port, self.token, self.ca = port, token, ca

    def ask(self, method, path, body=None, seconds=120):
        """The answer's JSON below `/api/v1`; fails with a `Problem`."""
        status, content = self.raw(method, f"/api/v1{path}", body, seconds)
        if not 200 <= status < 300:
            raise Problem(status, content.decode(errors="replace"))
        return json.loads(content) if content else None

    def raw(self, method, path, body=None, seconds=120):
        context = ssl.create_default_context(cafile=self.ca)
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=seconds, context=context)
        try:
            headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def list(self, path):
        """A list to its end."""
        items, after = [], None
        while True:
            query = {"limit": 1000} | ({"after": after} if after else {})
            page = self.ask("GET", f"{path}?{urllib.parse.urlencode(query)}")
            items += page["items"]
            after = page.get("next")
            if not after:
                return items

    def org(self, slug, **body):
        return self.ask("PUT", f"/orgs/{slug}", body)

    def user(self, slug, name, password, **body):
        return self.ask("PUT", f"/orgs/{slug}/users/{name}", {"password": password} | body)

    def catalog(self, slug, name, body):
        """Makes a catalog, which is ready afterwards."""
        made = self.ask("PUT", f"/orgs/{slug}/catalogs/{name}", body)
        assert made["state"] == "ready", made
        return made

    def metrics(self):
        """Samples by name with labels."""
        status, text = self.raw("GET", "/metrics")
        assert status == 200, text
        lines = (line.rsplit(" ", 1) for line in text.decode().splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, value in lines}
