#!/usr/bin/env bash
# Scores the shared cases against the floor in floor.txt, which only rises. Usage: cases.sh WORK_DIRECTORY
set -euo pipefail
shared=$(cd ../../shared && pwd)
score() { # format, extra flags
    local format=$1
    shift
    python3 "$shared/tools/pgdrive.py" --tls --host "$PGHOST" --port "$PGPORT" --user "$PGUSER" --password="$PGPASSWORD" --db "$PGDATABASE" \
        "$@" "$shared/cases/sql.$format.jsonl" "$work/$format.jsonl"
    python3 "$shared/tools/score.py" "$shared/cases/sql.$format.jsonl" "$work/$format.jsonl" --strict --show 400 >"$work/$format.score"
    local line values strict total
    line=$(tail -n 1 "$work/$format.score")
    echo "$format: $line"
    read -r values strict total <<<"$(sed -E 's#values ([0-9]+)/([0-9]+) strict ([0-9]+)/.*#\1 \3 \2#' <<<"$line")"
    while read -r name kind floor; do
        [ "$name" = "$format" ] || continue
        local found=$values
        [ "$kind" = strict ] && found=$strict
        if ((found < floor)); then
            echo "$format $kind: $found of $total, and the floor is $floor"
            head -n 60 "$work/$format.score"
            failed=1
        fi
    done <floor.txt
}
work=$1 failed=0
score text --setup "$shared/cases/schema.sql" --setup "$shared/cases/data.sql"
score binary --extended --binary
exit "$failed"
