#!/usr/bin/env bash
# psql: describe commands, timing, errors, Ctrl-C.
set -euo pipefail
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
say() { psql -XAt -v ON_ERROR_STOP=1 "$@"; }
check() { # what, expected, found
    [ "$2" = "$3" ] || { printf '%s: expected %q, found %q\n' "$1" "$2" "$3"; exit 1; }
}
psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE TABLE psql_t (a int PRIMARY KEY, b text NOT NULL, c numeric(10,2) CHECK (c > 0))' \
    -c "INSERT INTO psql_t VALUES (1, 'x', 1.5)" -c 'CREATE VIEW psql_v AS SELECT a, b FROM psql_t' 2>"$errors" || { cat "$errors"; exit 1; }
grep -q 'not enforced' "$errors" || { echo "no warning of constraints"; cat "$errors"; exit 1; }
check tag 'INSERT 0 2' "$(psql -XAt -c "INSERT INTO psql_t VALUES (2, 'y', 2), (3, 'z', 3)")"
check rows $'1|x|1.50\n2|y|2.00\n3|z|3.00' "$(say -c 'SELECT * FROM psql_t ORDER BY a')"
for command in '\l' '\dn' '\dt' '\dt+' '\d' '\d psql_t' '\d+ psql_t' '\dv' '\di' '\du' '\df' '\dT' '\conninfo' '\d psql_v'; do
    out=$(psql -X -v ON_ERROR_STOP=1 -c "$command" 2>&1) || { echo "$command: $out"; exit 1; }
    case "$out" in *ERROR*) echo "$command: $out"; exit 1 ;; esac
done
[[ "$(psql -X -c '\d psql_t')" == *"numeric(10,2)"*"psql_t_pkey"* ]] || { psql -X -c '\d psql_t'; exit 1; }
[[ "$(psql -XAt -c '\dt')" == *"psql_t|table|"* ]] || { psql -X -c '\dt'; exit 1; }
[[ "$(psql -XAt -c '\dv')" == *"psql_v|view|"* ]] || { psql -X -c '\dv'; exit 1; }
check 'an error and on' $'ERROR:  division by zero\n1' "$(psql -XAt -c 'SELECT 1/0' -c 'SELECT 1' 2>&1)"
# Ctrl-C makes psql send a cancel request. At a terminal only does it go on afterwards, so it is given one.
python3 python/psql_interrupt.py
psql -Xq -c 'DROP VIEW psql_v' -c 'DROP TABLE psql_t'
