#!/usr/bin/env bash
# postgres_fdw of a real PostgreSQL reads and writes through this server. Usage: fdw.sh BINARIES WORK_DIRECTORY
set -euo pipefail
bin=$1 work=$2/fdw
mkdir -p "$work"
run() { "$@"; }
if [ "$(id -u)" = 0 ]; then
    # PostgreSQL does not run as root.
    chown nobody "$work"
    run() { HOME="$work" setpriv --reuid=nobody --clear-groups "$@"; }
fi
run "$bin/initdb" -D "$work/data" -U postgres -A trust -N >/dev/null
run "$bin/pg_ctl" -D "$work/data" -w -l "$work/log" -o "-p 5432 -k $work -c listen_addresses=" start >/dev/null
trap 'run "$bin/pg_ctl" -D "$work/data" -m immediate stop >/dev/null' EXIT
there() { env -u PGPASSWORD -u PGSSLMODE -u PGDATABASE -u PGPORT PGUSER=postgres PGHOST="$work" psql -XAt -v ON_ERROR_STOP=1 -d postgres "$@"; }

psql -Xq -c "DROP TABLE IF EXISTS fdw_r; CREATE TABLE fdw_r (i int, t text, d date)" \
    -c "INSERT INTO fdw_r SELECT i, 'row ' || i, date '2020-01-01' + i FROM generate_series(1, 1000) AS g(i)"
there -q <<SQL
CREATE EXTENSION postgres_fdw;
CREATE SERVER pintail FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$PGHOST', port '$PGPORT', dbname '$PGDATABASE', sslmode 'require');
CREATE USER MAPPING FOR postgres SERVER pintail OPTIONS (user '$PGUSER', password '$PGPASSWORD');
CREATE FOREIGN TABLE r (i int, t text, d date) SERVER pintail OPTIONS (schema_name 'public', table_name 'fdw_r');
SQL
expect() { # what comes, of which statement
    local got
    got=$(there -q -c "$2")
    [ "$got" = "$1" ] || { echo "$2: $got, not $1" && exit 1; }
}
expect 1000 "SELECT count(*) FROM r"
expect "500|row 500|2021-05-15" "SELECT * FROM r WHERE i = 500"
expect 20 "SELECT count(*) FROM (SELECT * FROM r WHERE t LIKE 'row 1%' ORDER BY i LIMIT 20) AS x"
expect 333 "SELECT count(*) FROM r AS a JOIN generate_series(3, 1000, 3) AS g(i) USING (i)"
expect 1001 "INSERT INTO r VALUES (1001, 'new', NULL) RETURNING i"
expect 1001 "SELECT count(*) FROM r"
# What it sends whole changes the rows; what it would do row by row, by `ctid` under a lock, is refused and changes nothing.
expect "1001|changed" "UPDATE r SET t = 'changed' WHERE i = 1001 RETURNING i, t"
for change in "UPDATE r SET t = 'x' FROM generate_series(1, 3) AS g(n) WHERE i = n" "DELETE FROM r WHERE random() >= 0"; do
    if said=$(there -q -c "$change" 2>&1) || [[ "$said" != *'not supported'* ]]; then
        echo "$change: $said" && exit 1
    fi
done
expect "1001|1" "SELECT count(*), count(*) FILTER (WHERE t IN ('x', 'changed')) FROM r"
expect 1001 "DELETE FROM r WHERE i = 1001 RETURNING i"
expect 1000 "SELECT count(*) FROM r"
psql -Xq -c "DROP TABLE fdw_r"
echo "postgres_fdw: reads and writes"
