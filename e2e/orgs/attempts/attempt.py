"""What an attempt is: statements of which the last must not succeed, and what would be a success."""
from dataclasses import dataclass, field
from enum import Enum


class Due(Enum):
    """What is due of the last statement of an attempt."""

    # An error. Rows, or no error, are a success of the attempt.
    ERROR = "error"
    # An error or an answer without rows: a listing that finds nothing.
    NOTHING = "nothing"
    # Anything that shows nothing of another's and changes nothing outside: what is seen afterwards decides.
    SILENCE = "silence"


class Protocol(Enum):
    SIMPLE = "simple"
    EXTENDED = "extended"
    BOTH = "both"


@dataclass(frozen=True)
class Attempt:
    """Statements in their order. An error in one of the earlier ends the attempt as well."""

    topic: str
    statements: tuple
    due: Due = Due.ERROR
    protocol: Protocol = Protocol.BOTH
    # Bind parameters of the last statement, as text.
    parameters: tuple = ()
    # Statements that take back what the attempt leaves in the session; their errors do not count.
    after: tuple = field(default=())


def each(topic, *texts, **rest):
    """Attempts of one statement each."""
    return [Attempt(topic, (text,), **rest) for text in texts]


def script(topic, *statements, **rest):
    """An attempt of several statements."""
    return Attempt(topic, statements, **rest)


@dataclass(frozen=True)
class Scene:
    """Names that the attempts use. `acme` tries, `beta` has what it tries for."""

    # The own organisation's directory of files, its prefix, and its catalog's.
    own_files: str
    own_prefix: str
    # An object and a file of the other's, the other's directory, and one outside of every organisation.
    their_object: str
    their_file: str
    their_directory: str
    outside_file: str
    data_dir: str
    # A link in the own directory that leads to the other's file.
    link: str
    # Where nothing may appear.
    probe: str
    store_endpoint: str
    postgres_port: int
    admin_port: int
    port: int
    # A working connection string of the configuration store, which no tenant has.
    dsn: str
    # Somebody else's process id, for cancelling and ending.
    their_pid: int
    # Keys of the organisation's own, for secrets.
    key_id: str
    key_secret: str

    @property
    def their_name(self):
        """The other's object below the bucket."""
        return self.their_object.removeprefix("s3://lake/")

    def secret(self, name, scope, **changes):
        """A secret with the own keys."""
        parts = {
            "TYPE": "s3", "PROVIDER": "config", "KEY_ID": f"'{self.key_id}'", "SECRET": f"'{self.key_secret}'", "REGION": "'us-east-1'",
            "ENDPOINT": f"'{self.store_endpoint}'", "USE_SSL": "false", "URL_STYLE": "'path'", "SCOPE": f"'{scope}'",
        } | changes
        body = ", ".join(f"{key} {value}" for key, value in parts.items() if value is not None)
        return f"CREATE OR REPLACE SECRET {name} ({body})"
