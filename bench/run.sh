#!/usr/bin/env bash
# Pintail beside PostgreSQL in one run: TLS, TPC-H lineitem, medians of three rounds as a Markdown table.
# Usage: run.sh [SCALE] [MEASURES]   MEASURES: comma-separated names of the measuring program (default: select1,connect,
# small,agg,read_text,read_binary,simple1,pipeline,first_row)
# Needs a PostgreSQL 15 with TLS (PG_BIN, default /usr/lib/postgresql/15/bin), openssl, and a program that measures a
# PostgreSQL-wire server from outside and prints one JSON object a measure (WIREBENCH).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
scale="${1:-1}" measures="${2:-select1,simple1,connect,pipeline,small,agg,read_text,read_binary}"
WIREBENCH="${WIREBENCH:-../../shared/tools/wirebench.py}"
PG_BIN="${PG_BIN:-/usr/lib/postgresql/15/bin}"
for needed in "$WIREBENCH" "$PG_BIN/postgres"; do
    [ -e "$needed" ] || { echo "bench: $needed is missing (WIREBENCH, PG_BIN)" >&2; exit 1; }
done
programs="$CARGO_TARGET_DIR/release"
work=$(mktemp -d "${TMPDIR:-/tmp}/pb.XXXXXX")
chmod 711 "$work"
as_user=()
[ "$(id -u)" = 0 ] && as_user=(setpriv --reuid=postgres --regid=postgres --clear-groups)
server=
stop() {
    [ -n "$server" ] && kill -TERM "$server" 2>/dev/null && wait "$server" 2>/dev/null
    "${as_user[@]}" "$PG_BIN/pg_ctl" -D "$work/pg" stop -m immediate >/dev/null 2>&1
    rm -rf "$work"
}
trap stop EXIT
python="$PINTAIL_CACHE/e2e/python/bin/python"
[ -x "$python" ] || { mkdir -p "$PINTAIL_CACHE/e2e" && python3 -m venv "$PINTAIL_CACHE/e2e/python" && "$PINTAIL_CACHE/e2e/python/bin/pip" install --quiet -r ../e2e/python/requirements.txt; }

# Pintail
export PINTAIL_DATA_DIR="$work/data" PINTAIL_LISTEN=127.0.0.1:0 PINTAIL_ADMIN_LISTEN=127.0.0.1:0
export PINTAIL_WORKER_PROGRAM="$programs/pintail-worker" PINTAIL_LOG="${PINTAIL_LOG:-warn}" PINTAIL_WORKERS_MAX=4
"$programs/pintail" serve >"$work/pintail.log" 2>&1 &
server=$!
for _ in $(seq 300); do "$programs/pintail" connection >/dev/null 2>&1 && break; sleep 0.1; done
eval "$("$programs/pintail" connection --format env)"
"$python" - "$PINTAIL_CACHE/extensions-1.5.5/tpch.duckdb_extension" "$scale" "$work/data/orgs/local/_files" <<'PY'
import duckdb, sys
extension, scale, files = sys.argv[1:]
engine = duckdb.connect(config={"allow_unsigned_extensions": "true"})
engine.execute(f"LOAD '{extension}'")
engine.execute(f"CALL dbgen(sf={scale})")
engine.execute(f"COPY lineitem TO '{files}/lineitem.parquet'")
engine.execute(f"COPY lineitem TO '{files}/lineitem.csv'")
PY
files="$work/data/orgs/local/_files"
psql -Xq -c "CREATE TABLE lineitem AS SELECT * FROM read_parquet('$files/lineitem.parquet')"

# PostgreSQL
mkdir "$work/pg" && chmod 700 "$work/pg"
[ "$(id -u)" = 0 ] && chown postgres "$work/pg"
echo bench >"$work/pw" && chmod 644 "$work/pw"
"${as_user[@]}" "$PG_BIN/initdb" -D "$work/pg" -U postgres --pwfile="$work/pw" -A scram-sha-256 -E UTF8 --locale=C.UTF-8 >/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout "$work/pg/server.key" -out "$work/pg/server.crt" 2>/dev/null
chmod 600 "$work/pg/server.key"
[ "$(id -u)" = 0 ] && chown postgres "$work/pg/server.key" "$work/pg/server.crt"
pg_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"${as_user[@]}" "$PG_BIN/pg_ctl" -D "$work/pg" -l "$work/pg/log" -w -o "-p $pg_port -k $work/pg -c ssl=on -c shared_buffers=1GB -c fsync=off" start >/dev/null
pg() { PGPASSWORD=bench PGHOST=127.0.0.1 PGPORT=$pg_port PGUSER=postgres PGDATABASE=postgres psql -Xq "$@"; }
pg -c "CREATE TABLE lineitem (l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber bigint, l_quantity numeric(15,2), l_extendedprice numeric(15,2), l_discount numeric(15,2), l_tax numeric(15,2), l_returnflag text, l_linestatus text, l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct text, l_shipmode text, l_comment text)" \
    -c "\\copy lineitem from '$files/lineitem.csv' csv header" -c "VACUUM ANALYZE lineitem"
rm -f "$files/lineitem.csv" "$files/lineitem.parquet"

out="${BENCH_OUT:-$work/results.jsonl}"
: >"$out"
for round in 1 2 3; do
    python3 "$WIREBENCH" postgres --tls --host 127.0.0.1 --port "$pg_port" --user postgres --password bench --db postgres --only "$measures" --times 1 >>"$out"
    python3 "$WIREBENCH" pintail --tls --host "$PGHOST" --port "$PGPORT" --user "$PGUSER" --password="$PGPASSWORD" --db "$PGDATABASE" --only "$measures" --times 1 >>"$out"
done
python3 table.py "$out"
