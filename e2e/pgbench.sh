#!/usr/bin/env bash
# pgbench with a script of its own, in each of its protocols: what it inserts is there, once.
set -euo pipefail
script=$(mktemp)
trap 'rm -f "$script"' EXIT
cat >"$script" <<'SQL'
\set n random(1, 100000)
BEGIN;
INSERT INTO pgbench_w VALUES (:n, :client_id);
SELECT count(*) FROM pgbench_w WHERE n = :n;
END;
SELECT sum(i) FROM generate_series(1, 100) AS g(i) WHERE i <> :n;
SQL
for protocol in simple extended prepared; do
    psql -Xq -c "DROP TABLE IF EXISTS pgbench_w; CREATE TABLE pgbench_w (n int, client int)"
    pgbench --no-vacuum --protocol="$protocol" --client=2 --jobs=2 --transactions=15 --max-tries=20 --file="$script"
    stored=$(psql -XAt -c "SELECT count(*) FROM pgbench_w")
    [ "$stored" = 30 ] || { echo "$protocol: $stored rows of 30" && exit 1; }
done
psql -Xq -c "DROP TABLE pgbench_w"
echo "pgbench: simple, extended, prepared"
