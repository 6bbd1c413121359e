#!/usr/bin/env bash
# What idle sessions cost the control plane: memory for each, and workers. Fails above 64 KiB each.
# Usage: idle.sh [SESSIONS]   (default 2000; needs as many open files, and a build: PROFILE=release or debug)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
sessions="${1:-2000}"
programs="$CARGO_TARGET_DIR/${PROFILE:-release}"
work=$(mktemp -d "${TMPDIR:-/tmp}/pb.XXXXXX")
chmod 711 "$work"
server=
stop() {
    [ -n "$server" ] && kill -TERM "$server" 2>/dev/null && wait "$server" 2>/dev/null
    rm -rf "$work"
}
trap stop EXIT
ulimit -n "$((sessions + 500))"
python="$PINTAIL_CACHE/e2e/python/bin/python"
[ -x "$python" ] || { mkdir -p "$PINTAIL_CACHE/e2e" && python3 -m venv "$PINTAIL_CACHE/e2e/python" && "$PINTAIL_CACHE/e2e/python/bin/pip" install --quiet -r ../e2e/python/requirements.txt; }
export PINTAIL_DATA_DIR="$work/data" PINTAIL_LISTEN=127.0.0.1:0 PINTAIL_ADMIN_LISTEN=127.0.0.1:0 PINTAIL_LOG=warn
export PINTAIL_WORKER_PROGRAM="$programs/pintail-worker" PINTAIL_ALLOW_PLAINTEXT=loopback PINTAIL_MAX_CONNECTIONS="$((sessions + 100))"
"$programs/pintail" serve >"$work/log" 2>&1 &
server=$!
for _ in $(seq 1200); do
    "$programs/pintail" connection >/dev/null 2>&1 && break
    kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
    sleep 0.1
done
eval "$("$programs/pintail" connection --format env)"
"$python" idle.py "$server" "$sessions"
