#!/usr/bin/env bash
# Stop the running server and wait for its end.
set -euo pipefail
pintail="$1/pintail"
if ! pid=$("$pintail" connection --format pid 2>/dev/null) || ! kill -0 "$pid" 2>/dev/null; then
    echo "pintail does not run"
    exit 0
fi
kill -TERM "$pid"
for _ in $(seq 300); do
    kill -0 "$pid" 2>/dev/null || { echo "pintail stopped"; exit 0; }
    sleep 0.1
done
echo "pintail (process $pid) did not stop within 30 seconds" >&2
exit 1
