#!/usr/bin/env bash
# Write the generated files again. The tables of types and settings come from a PostgreSQL 15 that libpq's variables name.
set -euo pipefail
python3 libs/sqlstate/generate.py "$PINTAIL_POSTGRES_DIR/share/errcodes.txt"
cargo run --quiet --locked -p pintail -- config reference >docs/configuration.md
cargo run --quiet --locked -p pintail -- api >docs/openapi.json
if [ -n "${PGHOST:-}" ]; then
    psql -XAtF '|' -c "$(python3 control-plane/generate-parameters.py --query)" | python3 control-plane/generate-parameters.py
fi
cargo fmt --all
