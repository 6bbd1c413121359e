"""Makes an attempt in a session, and says whether it succeeded and which layer stopped it."""
import re
from dataclasses import dataclass

import psycopg
from psycopg.pq import ExecStatus, TransactionStatus

from attempts.attempt import Attempt, Due, Protocol

# Nothing that stops an attempt takes longer.
STATEMENT_TIMEOUT = "30s"
ROWS = {ExecStatus.TUPLES_OK, ExecStatus.SINGLE_TUPLE}
SUCCESS = ROWS | {ExecStatus.COMMAND_OK, ExecStatus.COPY_OUT, ExecStatus.COPY_IN, ExecStatus.EMPTY_QUERY}

# The first that fits an error's SQLSTATE and text names the layer.
LAYERS = [("login", r"^28", r""), ("engine (locked)", r"", r"configuration has been locked|cannot change configuration|cannot reset configuration"),
          ("engine", r"", r"disabled by configuration|disabled through configuration|external access"),
          ("store", r"", r"\b403\b|http get error|http error|access denied by the object store|forbidden"),
          ("PostgreSQL", r"", r"permission denied for schema dl_|authentication failed|no password supplied"),
          (
              "kernel", r"^(42501|58P01|58030|08)",
              r"cannot open|permission denied \(|could not connect|could not establish connection|cannot access|failed to open"
          ), ("gate", r"^42501", r"permission denied for "),
          ("not attached", r"^(3D000|3F000|0A000|42P01)", r"cross-database references|database .* does not exist|catalog .* does not exist"),
          ("unknown name", r"^(42P01|3F000|3D000|42883|42704|42703|26000|34000|22023)", r""), ("not supported", r"^0A000", r""),
          ("grammar", r"^(42601|42P02|42P18|08P01)", r""), ]


@dataclass
class Outcome:
    """What became of an attempt in one protocol."""

    attempt: Attempt
    protocol: Protocol
    # None where it succeeded.
    layer: str | None
    text: str


class Judge:
    """Judges attempts in one session, which must live through all of them."""

    def __init__(self, connect, secrets):
        self._connect, self._secrets = connect, secrets
        self.deaths = []
        self._open()

    def _open(self):
        self.connection = self._connect()
        self.notices = []
        self.connection.add_notice_handler(lambda notice: self.notices.append(f"{notice.message_primary} {notice.message_detail or ''}"))
        self.connection.execute(f"SET statement_timeout = '{STATEMENT_TIMEOUT}'")
        self.pid = self.connection.info.backend_pid

    def judge(self, attempt):
        protocols = [Protocol.SIMPLE, Protocol.EXTENDED] if attempt.protocol == Protocol.BOTH else [attempt.protocol]
        outcomes = []
        for protocol in protocols:
            self.notices.clear()
            layer, text = self._make(attempt, protocol)
            outcomes.append(Outcome(attempt, protocol, layer, text))
            for statement in attempt.after:
                self._settle()
                self._run(statement, Protocol.SIMPLE)
            if not self._is_alive():
                self.deaths.append(f"{attempt.statements[-1]} ({protocol.value}): {text}")
                self._open()
        return outcomes

    def _make(self, attempt, protocol):
        """The layer that stopped it, and what was said."""
        for index, statement in enumerate(attempt.statements):
            last = index + 1 == len(attempt.statements)
            result = self._run(statement, protocol, attempt.parameters if last else ())
            if result is None:
                return "closed", "the connection was closed"
            shown = self._shown(result)
            leak = next((secret for secret in self._secrets if secret in shown), None)
            if leak:
                return None, f"shows {leak!r}: {shown[:200]}"
            if result.status not in SUCCESS:
                return self._layer(result)
            if last:
                return self._judge_success(attempt, result, shown)
        raise AssertionError("an attempt has statements")

    @staticmethod
    def _judge_success(attempt, result, shown):
        if attempt.due == Due.SILENCE:
            return "nothing seen", shown[:200]
        if attempt.due == Due.NOTHING and result.status in ROWS and result.ntuples == 0:
            return "nothing found", ""
        return None, f"succeeded: {shown[:200]}"

    def _run(self, statement, protocol, parameters=()):
        """The last result of a statement; None where the connection ended."""
        session = self.connection.pgconn
        text = statement.encode()
        try:
            if protocol == Protocol.SIMPLE:
                result = session.exec_(text)
            else:
                result = session.exec_params(text, [value.encode() for value in parameters])
            if result.status == ExecStatus.COPY_IN:
                session.put_copy_end(b"not meant")
                return session.get_result()
            while result.status == ExecStatus.COPY_OUT and session.get_copy_data(0)[0] > 0:
                pass
            return result
        except psycopg.OperationalError:
            return None

    def _shown(self, result):
        """Everything that the client was told."""
        cells = (result.get_value(row, column) for row in range(result.ntuples) for column in range(result.nfields))
        texts = [cell.decode(errors="replace") for cell in cells if cell is not None]
        return "\n".join([*texts, result.error_message.decode(errors="replace") if result.error_message else "", *self.notices])

    @staticmethod
    def _layer(result):
        field = psycopg.pq.DiagnosticField
        state, *texts = [(result.error_field(name) or b"").decode(errors="replace")
                         for name in (field.SQLSTATE, field.MESSAGE_PRIMARY, field.MESSAGE_DETAIL)]
        text = " ".join(texts).strip()
        for layer, of_state, of_text in LAYERS:
            if re.search(of_state, state) and re.search(of_text, text, re.IGNORECASE):
                return layer, f"{state} {text}"
        return "other", f"{state} {text}"

    def _is_alive(self):
        self._settle()
        if self.connection.pgconn.status != psycopg.pq.ConnStatus.OK:
            return False
        result = self._run("SELECT 41 + 1", Protocol.SIMPLE)
        return result is not None and result.status in ROWS and result.get_value(0, 0) == b"42" and self.connection.info.backend_pid == self.pid

    def _settle(self):
        """Out of a transaction that an attempt opened or broke."""
        session = self.connection.pgconn
        if session.status == psycopg.pq.ConnStatus.OK and session.transaction_status != TransactionStatus.IDLE:
            self._run("ROLLBACK", Protocol.SIMPLE)
