#!/usr/bin/env bash
# Real drivers against an installation of their own. Usage: run.sh [NAME ...]   (default: all; `orgs` for all of orgs-*)
# The environment is ./dev's. A driver whose toolchain is missing is skipped, and the last line says so.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
here="$PWD"
programs="$CARGO_TARGET_DIR/${PROFILE:-debug}"
tools="$PINTAIL_CACHE/e2e"
mkdir -p "$tools"
work=$(mktemp -d "${TMPDIR:-/tmp}/pe.XXXXXX")
chmod 711 "$work"
export PINTAIL_DATA_DIR="$work/data" PINTAIL_LISTEN=127.0.0.1:0 PINTAIL_ADMIN_LISTEN=127.0.0.1:0
export PINTAIL_WORKER_PROGRAM="$programs/pintail-worker" PINTAIL_WORKERS_MAX=16
server=
stop() {
    [ -n "$server" ] && kill -TERM "$server" 2>/dev/null && wait "$server" 2>/dev/null
    rm -rf "$work"
}
trap stop EXIT

"$programs/pintail" serve >"$work/pintail.log" 2>&1 &
server=$!
for _ in $(seq 600); do
    "$programs/pintail" connection >/dev/null 2>&1 && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
if ! variables=$("$programs/pintail" connection --format env); then
    echo "the server did not start:" && tail -n 30 "$work/pintail.log"
    exit 1
fi
eval "$variables"

passed=0 failed=0 skipped=0
wanted=("$@")
is_wanted() { # name
    ((${#wanted[@]} == 0)) || [[ " ${wanted[*]} " == *" $1 "* || " ${wanted[*]} " == *" ${1%%-*} "* ]]
}
driver() { # name, needed commands, then the command line
    local name=$1 needed=$2
    shift 2
    is_wanted "$name" || return
    for tool in $needed; do
        if ! command -v "$tool" >/dev/null; then
            echo "skip $name: $tool is not installed"
            skipped=$((skipped + 1))
            return
        fi
    done
    if timeout "${DRIVER_TIMEOUT:-300}" "$@" >"$work/$name.out" 2>&1; then
        if [ -n "${VERBOSE:-}" ]; then cat "$work/$name.out"; else grep '^|' "$work/$name.out"; fi
        echo "ok   $name"
        passed=$((passed + 1))
    else
        echo "FAIL $name"
        sed 's/^/     /' "$work/$name.out" | tail -n 40
        failed=$((failed + 1))
    fi
}

# --- toolchains' own packages, once, into the cache
python="$tools/python/bin/python"
if [ ! -x "$python" ] || ! "$python" -c 'import psycopg, asyncpg, duckdb, pyodbc' 2>/dev/null; then
    python3 -m venv "$tools/python" && "$tools/python/bin/pip" install --quiet -r python/requirements.txt
fi
if command -v npm >/dev/null && ! cmp -s node/package.json "$tools/node/package.json"; then
    mkdir -p "$tools/node" && cp node/package.json "$tools/node/" && (cd "$tools/node" && npm install --silent --no-audit --no-fund)
fi
jar="$tools/java/postgresql.jar"
if command -v mvn >/dev/null && [ ! -f "$jar" ]; then
    mkdir -p "$tools/java"
    mvn -q dependency:copy -Dartifact=org.postgresql:postgresql:42.7.4 -DoutputDirectory="$tools/java" -Dmdep.stripVersion=true
fi

# An ACME authority to ask for certificates.
if command -v go >/dev/null && [ ! -x "$tools/bin/pebble" ]; then
    GOBIN="$tools/bin" go install github.com/letsencrypt/pebble/v2/cmd/pebble@v2.10.3
fi
# Debian's psqlODBC, unpacked where the machine has none installed.
find_odbc() { find "$tools/odbc" /usr/lib -name psqlodbcw.so 2>/dev/null | head -n 1; }
if is_wanted psqlodbc && [ -z "$(find_odbc)" ] && command -v apt-get >/dev/null && command -v dpkg >/dev/null; then
    mkdir -p "$tools/odbc"
    (cd "$tools/odbc" && apt-get -qq download odbc-postgresql libodbc2 libodbcinst2 libltdl7 && for package in *.deb; do dpkg -x "$package" .; done) >/dev/null 2>&1
fi

# The fetched psql has no TLS, so psql itself is tested only where the machine has one of its own.
driver psql "psql" bash psql.sh
driver psycopg "" "$python" python/psycopg_driver.py
driver asyncpg "" "$python" python/asyncpg_driver.py
driver psycopg-wire "" "$python" python/psycopg_wire.py
driver asyncpg-wire "" "$python" python/asyncpg_wire.py
driver duckdb-postgres "" "$python" python/duckdb_postgres.py
odbc=$(find_odbc)
if [ -n "$odbc" ]; then
    driver psqlodbc "" env LD_LIBRARY_PATH="$(dirname "$(dirname "$odbc")")" "$python" python/psqlodbc.py "$odbc"
elif is_wanted psqlodbc; then
    echo "skip psqlodbc: psqlodbcw.so is neither here nor to be had from apt-get"
    skipped=$((skipped + 1))
fi
driver node-wire "node" env NODE_PATH="$tools/node/node_modules" node node/wire.js
driver node-postgres "node" env NODE_PATH="$tools/node/node_modules" node node/driver.js
driver pgx "go" bash -c "cd '$here/go' && go run ."
driver pgjdbc "java mvn" java -cp "$jar" java/Driver.java
driver pgjdbc-wire "java mvn" java -cp "$jar" java/Wire.java
# The fetched pgbench has no TLS either; postgres_fdw needs a PostgreSQL with one.
driver pgbench "pgbench psql" bash pgbench.sh
reference=${PINTAIL_REFERENCE_POSTGRES_DIR:-/usr/lib/postgresql/15}
if [ -f "$reference/lib/postgres_fdw.so" ]; then
    driver postgres-fdw "psql" bash fdw.sh "$reference/bin" "$work"
elif is_wanted postgres-fdw; then
    echo "skip postgres-fdw: there is no PostgreSQL with postgres_fdw and TLS here"
    skipped=$((skipped + 1))
fi
driver tpch "psql" "$python" python/tpch.py --scale "${TPCH_SCALE:-0.01}"
if [ -d ../../shared/cases ]; then
    driver cases "" bash cases.sh "$work"
fi

# --- organisations beside each other, each in an installation of its own with PostgreSQL, an S3 store, TLS and the admin API.
# Asked for by name they take longer, and the report of isolation names every attempt.
orgs="$tools/orgs/bin/python"
if ((${#wanted[@]} == 0)); then
    export PINTAIL_LOAD="${PINTAIL_LOAD:-small}" PINTAIL_OUTAGE_SECONDS="${PINTAIL_OUTAGE_SECONDS:-2}" PINTAIL_FUZZ_SECONDS="${PINTAIL_FUZZ_SECONDS:-15}"
else
    export PINTAIL_REPORT="${PINTAIL_REPORT:-full}"
fi
if ((${#wanted[@]} == 0)) || [[ " ${wanted[*]}" == *" orgs"* ]]; then
    if ! cmp -s orgs/requirements.txt "$tools/orgs/requirements.txt"; then
        rm -rf "$tools/orgs"
        python3 -m venv "$tools/orgs" && "$tools/orgs/bin/pip" install --quiet -r orgs/requirements.txt && cp orgs/requirements.txt "$tools/orgs/"
    fi
fi
if [ -x "$PINTAIL_CACHE/bin/weed" ]; then
    driver orgs-own-data "" "$orgs" orgs/own_data.py
    driver orgs-isolation "" "$orgs" orgs/isolation.py
    driver orgs-fuzz-api "" "$orgs" orgs/fuzz_api.py
    driver orgs-iceberg "java" "$orgs" orgs/iceberg.py
elif is_wanted orgs-isolation; then
    echo "skip orgs-own-data, orgs-isolation, orgs-fuzz-api: there is no S3 store for this platform"
    skipped=$((skipped + 3))
fi
driver orgs-outage "" "$orgs" orgs/outage.py
if [ -x "$tools/bin/pebble" ]; then
    driver orgs-acme "" "$orgs" orgs/acme.py "$tools/bin/pebble"
elif is_wanted orgs-acme; then
    echo "skip orgs-acme: there is no ACME authority to be had without Go"
    skipped=$((skipped + 1))
fi
DRIVER_TIMEOUT=1200 driver orgs-load "" "$orgs" orgs/load.py

echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
