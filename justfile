# Recipes of Pintail. `./dev RECIPE` fetches what they need first.

target := env("CARGO_TARGET_DIR", "target")
release := target / "release"

# List the recipes
default:
    @just --list

# Build release binaries, start the server, load the flights on first start, print a psql line
up:
    cargo build --release --locked -p pintail -p pintail-worker
    @packaging/up.sh {{ release }}

# Stop the server
down:
    @packaging/down.sh {{ release }}

# Print `export PG…` lines for the running server
env:
    @{{ release }}/pintail connection --format env

# Format
fmt:
    cargo fmt --all

# Lints, formatting and licences as CI wants them
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings

# All tests: units, properties, integration, sqllogictest files, real drivers
test:
    @e2e/iceberg.sh --fetch
    cargo build --workspace --bins --tests --locked
    cargo test --workspace --locked
    @e2e/run.sh

# Drivers in other languages against a running installation of their own
e2e *ARGS:
    cargo build --locked -p pintail -p pintail-worker
    @e2e/run.sh {{ ARGS }}

# Measure Pintail beside PostgreSQL in one run
bench *ARGS:
    cargo build --release --locked -p pintail -p pintail-worker
    @bench/run.sh {{ ARGS }}

# Measure what idle sessions cost the control plane
bench-idle *ARGS:
    cargo build --release --locked -p pintail -p pintail-worker
    @bench/idle.sh {{ ARGS }}

# Fuzz one target for some seconds: startup, messages, scram, bind or copy. Needs a nightly compiler and cargo-fuzz
fuzz TARGET="messages" SECONDS="60":
    cargo +nightly fuzz run --fuzz-dir fuzz {{ TARGET }} -- -max_total_time={{ SECONDS }} -max_len=4096

# Write generated files again: SQLSTATEs, types, settings, configuration reference
generate:
    @packaging/generate.sh

# Documentation of the crates
doc:
    cargo doc --workspace --no-deps --locked
