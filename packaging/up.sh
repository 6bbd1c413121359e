#!/usr/bin/env bash
# Start the server that was just built, load the flights on first start, print how to connect.
# Usage: up.sh DIRECTORY_OF_PROGRAMS   (environment: as ./dev sets it)
set -euo pipefail
programs="$1"
pintail="$programs/pintail"
data="${PINTAIL_DATA_DIR:-}"
if [ -z "$data" ]; then
    if [ "$(id -u)" = 0 ]; then data=/var/lib/pintail; else data="${XDG_DATA_HOME:-$HOME/.local/share}/pintail"; fi
    export PINTAIL_DATA_DIR="$data"
fi
mkdir -p "$data" && chmod go-rwx,go+x "$data"
log="$data/pintail.log"

free_port() {
    python3 - "$@" <<'PY'
import socket, sys
for port in map(int, sys.argv[1:]):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(port)
        break
else:
    print(0)
PY
}

if pid=$("$pintail" connection --format pid 2>/dev/null) && kill -0 "$pid" 2>/dev/null; then
    echo "pintail already runs (process $pid)"
else
    rm -f "$data/runtime.json"
    : "${PINTAIL_LISTEN:=127.0.0.1:$(free_port 5432 5433 6432 0)}"
    : "${PINTAIL_ADMIN_LISTEN:=127.0.0.1:$(free_port 8432 8433 0)}"
    export PINTAIL_LISTEN PINTAIL_ADMIN_LISTEN
    # The fetched psql cannot speak TLS, so without another one a session from this machine may start in plain text.
    command -v psql >/dev/null || export PINTAIL_ALLOW_PLAINTEXT="${PINTAIL_ALLOW_PLAINTEXT:-loopback}"
    export PINTAIL_WORKER_PROGRAM="${PINTAIL_WORKER_PROGRAM:-$programs/pintail-worker}"
    nohup "$pintail" serve >>"$log" 2>&1 </dev/null &
    pid=$!
    printf 'starting pintail (log: %s) ' "$log"
    for _ in $(seq 600); do
        "$pintail" connection --format pid >/dev/null 2>&1 && break
        if ! kill -0 "$pid" 2>/dev/null; then
            printf '\npintail ended at once:\n' >&2
            tail -n 20 "$log" >&2
            exit 1
        fi
        printf '.'
        sleep 0.1
    done
    echo
    "$pintail" connection --format pid >/dev/null || exit 1
fi

eval "$("$pintail" connection --format env)"
psql=psql
if ! command -v psql >/dev/null; then
    psql="$PINTAIL_POSTGRES_DIR/bin/psql"
    export PGSSLMODE=disable
fi
sql() { "$psql" -XAtqv ON_ERROR_STOP=1 "$@"; }
if ! sql -c 'SELECT 1 FROM flights LIMIT 0' >/dev/null 2>&1; then
    echo "loading the flights of 2013 from New York (336 776 rows)"
    files="$data/orgs/local/_files"
    python3 -m zipfile -e "$PINTAIL_CACHE/data/flights.csv.zip" "$files"
    sql -c "CREATE TABLE flights AS SELECT * FROM read_csv('$files/flights.csv', nullstr = ['NA', ''])"
fi

line=$("$pintail" connection)
if [ "$psql" != psql ]; then
    line="${line/ psql / $psql }"
    line="${line/sslmode=require/sslmode=disable}"
fi
cat <<EOF

Pintail is ready. Connect with:

  $line

and try: select carrier, count(*), avg(dep_delay) from flights group by 1 order by 2 desc;
Stop it with ./dev down; ./dev env prints the connection as environment variables.
EOF
