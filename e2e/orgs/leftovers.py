"""What a session leaves behind is not seen by the next one on the same worker, be it the same user's or another's."""
from psycopg.pq import DiagnosticField

from attempts.attempt import Due, each
from judge import Outcome
from service import eventually

PASSWORD = "another-password"
LEAVES = [
    "CREATE TEMP TABLE left_temp AS SELECT 1 AS a", "CREATE TEMP VIEW left_view AS SELECT 1 AS a", "ATTACH ':memory:' AS left_db",
    "CREATE TABLE left_db.main.t AS SELECT 1 AS a", "SET TimeZone = 'Europe/Berlin'", "SET search_path = public, information_schema",
    "SET application_name = 'left-application'", "SET my.setting = 'left'", "SET statement_timeout = '7s'", "CREATE TEMP MACRO left_macro() AS 1",
    "SET VARIABLE left_variable = 'left'", "PREPARE left_prepared AS SELECT 1", "LISTEN left_channel",
    "CREATE SECRET left_secret (TYPE s3, PROVIDER config, KEY_ID 'left', SECRET 'left', SCOPE 's3://lake/left/')",
    "CREATE TEMP SEQUENCE left_sequence", "SELECT setseed(0.5)", "DECLARE left_held CURSOR WITH HOLD FOR SELECT 1", "BEGIN",
    "CREATE TABLE left_uncommitted AS SELECT 1 AS a", "DECLARE left_cursor CURSOR FOR SELECT 1",
]
# What the next session asks; each is an error, or the answer beside it.
ASKED = [("SELECT * FROM left_temp", None), ("SELECT * FROM temp.left_temp", None), ("SELECT * FROM left_view", None),
         ("SELECT * FROM left_db.main.t", None), ("SELECT count(*) FROM duckdb_databases() WHERE database_name = 'left_db'", "0"),
         ("SHOW TimeZone", "UTC"), ("SHOW application_name", ""), ("SHOW my.setting", None), ("SHOW statement_timeout", "0"),
         ("SHOW search_path", '"$user", public'), ("SELECT left_macro()", None), ("SELECT getvariable('left_variable') IS NULL", "t"),
         ("EXECUTE left_prepared", None), ("SELECT count(*) FROM pg_prepared_statements WHERE name = 'left_prepared'", "0"),
         ("SELECT count(*) FROM pg_listening_channels()", "0"), ("DROP SECRET left_secret", None), ("SELECT nextval('left_sequence')", None),
         ("FETCH left_cursor", None), ("SELECT count(*) FROM pg_cursors WHERE name = 'left_cursor'", "0"), ("SELECT * FROM left_uncommitted", None),
         ("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'left%'", "0"),
         ("SELECT count(*) FROM duckdb_variables() WHERE name LIKE 'left%'", "0"),
         ("SELECT count(*) FROM duckdb_functions() WHERE function_name LIKE 'left\\_m%' ESCAPE '\\'", "0"), ("COMMIT", "warning"),
         ("DETACH left_db", None), ("SELECT current_setting('my.setting', true) IS NULL", "t"), ]
WORKER = "SELECT getvariable('pintail_worker_id')"


def prepare(installation):
    """Two more users of the organisation."""
    for user in ("bob", "eve"):
        installation.admin.user("acme", user, PASSWORD)


def outcomes(installation):
    """For the same user and another of the organisation."""
    found = []
    for first, second in (("eve", "bob"), ("bob", "bob")):
        with installation.connect("acme", "sales", user=first, password=PASSWORD) as session:
            worker = session.execute(WORKER).fetchone()[0]
            left = [session.pgconn.exec_(text.encode()) for text in LEAVES]
            failed = [f"{text}: {result.error_message.decode()}" for text, result in zip(LEAVES, left) if not _went(result)]
            assert not failed, failed
            session.pgconn.finish()
        found += _asked(installation, second, worker)
    return found


def _went(result):
    """Whether it left something, or is a statement that the server does not have."""
    return not result.error_message or result.error_field(DiagnosticField.SQLSTATE) == b"0A000"


def _asked(installation, user, worker):

    def on_the_same_worker():
        session = installation.connect("acme", "sales", user=user, password=PASSWORD)
        if session.execute(WORKER).fetchone()[0] == worker:
            return session
        session.close()
        return None

    session = eventually("the next session is on the same worker", on_the_same_worker, 30, 0.2)
    found = []
    for sql, expected in ASKED:
        result = session.pgconn.exec_(sql.encode())
        attempt = each("left behind", sql, due=Due.ERROR)[0]
        if result.error_message:
            text = result.error_message.decode().strip()
            missing = result.error_field(DiagnosticField.SQLSTATE) in (b"42883", b"0A000")
            found.append(Outcome(attempt, None, "a new instance" if expected is None or missing else None, text))
            continue
        value = result.get_value(0, 0).decode() if result.ntuples else ""
        stopped = expected == "warning" or (expected is not None and value == expected)
        found.append(Outcome(attempt, None, "a new instance" if stopped else None, value))
    session.close()
    return found
