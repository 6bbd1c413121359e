"""An S3 store of the run's own, with keys that open one prefix each, and a client for it."""
import datetime
import hashlib
import hmac
import http.client
import json
import os
import secrets
import urllib.parse
import xml.etree.ElementTree

from service import Service, eventually, free_ports, is_open

BUCKET = "lake"
REGION = "us-east-1"


class Key:
    """An access key, and the prefix below which it opens everything; the empty one for the whole store."""

    def __init__(self, name, prefix):
        self.name, self.prefix, self.id, self.secret = name, prefix, f"{name}-key", secrets.token_hex(16)

    def identity(self):
        actions = ["Admin"]
        if self.prefix:
            actions = [f"{action}:{BUCKET}/{self.prefix}*" for action in ("Read", "Write", "List")]
        return {"name": self.name, "credentials": [{"accessKey": self.id, "secretKey": self.secret}], "actions": actions}


class ObjectStore:
    """`weed server` on loopback."""

    def __init__(self, directory, keys):
        self.directory = os.path.join(directory, "store")
        os.mkdir(self.directory)
        self.all_seeing = Key("everything", "")
        self.keys = {key.name: key for key in keys}
        identities = [key.identity() for key in [self.all_seeing, *keys]]
        config = os.path.join(self.directory, "identities.json")
        with open(config, "w") as file:
            json.dump({"identities": identities}, file)
        names = ("master", "volume", "filer", "s3")
        ports = free_ports(2 * len(names))
        flags = [f"-{name}.port={port}" for name, port in zip(names, ports)]
        flags += [f"-{name}.port.grpc={port}" for name, port in zip(names, ports[len(names):])]
        self.port = ports[3]
        command = [os.path.join(os.environ["PINTAIL_CACHE"], "bin/weed"), "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3"]
        command += [f"-dir={self.directory}", f"-s3.config={config}", *flags, "-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.iam=false"]
        command += ["-master.telemetry=false", "-master.volumeSizeLimitMB=64", "-volume.max=0"]
        self.service = Service("the S3 store", command, os.path.join(directory, "store.log"), env={"HOME": self.directory}, cwd=self.directory)

    @property
    def endpoint(self):
        return f"127.0.0.1:{self.port}"

    def start(self):
        self.service.start()
        eventually("the S3 store listens", lambda: self.service.is_running() and is_open(self.port))
        eventually("the bucket is made", lambda: self.request("PUT", f"/{BUCKET}")[0] == 200)
        return self

    def stop(self):
        self.service.kill()

    def objects(self):
        """Names of all objects below the bucket."""
        return sorted(name for name, _ in self.entries())

    def entries(self):
        """The same with what tells their contents apart, asked for with the key that sees everything."""
        found, token = [], None
        while True:
            query = {"list-type": "2", "max-keys": "1000"} | ({"continuation-token": token} if token else {})
            status, body = self.request("GET", f"/{BUCKET}", query)
            assert status == 200, body
            tree = xml.etree.ElementTree.fromstring(body)
            space = tree.tag[:tree.tag.index("}") + 1]
            found += [(entry.findtext(f"{space}Key"), entry.findtext(f"{space}ETag")) for entry in tree.findall(f"{space}Contents")]
            token = tree.findtext(f"{space}NextContinuationToken")
            if tree.findtext(f"{space}IsTruncated") != "true" or not token:
                return found

    def request(self, method, path, query=None, key=None, body=b""):
        """Status and body of a request that is signed with a key (AWS Signature Version 4)."""
        key = key or self.all_seeing
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        path = urllib.parse.quote(path, safe="/-_.~")
        text = urllib.parse.urlencode(sorted((query or {}).items()), quote_via=urllib.parse.quote)
        digest = hashlib.sha256(body).hexdigest()
        headers = {"host": self.endpoint, "x-amz-content-sha256": digest, "x-amz-date": now}
        signed = ";".join(headers)
        canonical = "\n".join([method, path, text, *(f"{name}:{value}" for name, value in headers.items()), "", signed, digest])
        scope = f"{now[:8]}/{REGION}/s3/aws4_request"
        to_sign = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        seed = f"AWS4{key.secret}".encode()
        for part in scope.split("/"):
            seed = hmac.digest(seed, part.encode(), "sha256")
        signature = hmac.new(seed, to_sign.encode(), "sha256").hexdigest()
        headers["authorization"] = f"AWS4-HMAC-SHA256 Credential={key.id}/{scope}, SignedHeaders={signed}, Signature={signature}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, f"{path}?{text}" if text else path, body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except OSError as error:
            return 0, str(error).encode()
        finally:
            connection.close()
