#!/usr/bin/env bash
# Iceberg's reference REST catalog over the S3 store, and the worker's tests against both. The environment is ./dev's.
# Usage: iceberg.sh [--fetch]   (--fetch: only put the catalog's program into the cache)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
home="$PINTAIL_CACHE/e2e/iceberg"
for tool in java javac mvn; do
    if ! command -v "$tool" >/dev/null; then
        echo "skip iceberg: $tool is not installed"
        exit 0
    fi
done
if ! cmp -s e2e/iceberg/pom.xml "$home/pom.xml"; then
    rm -rf "$home" && mkdir -p "$home"
    if ! mvn -q -B -f e2e/iceberg/pom.xml dependency:copy-dependencies -DoutputDirectory="$home/lib" </dev/null; then
        echo "skip iceberg: Maven cannot fetch the reference catalog"
        rm -rf "$home"
        exit 0
    fi
    cp e2e/iceberg/pom.xml "$home/pom.xml"
fi
if [ e2e/iceberg/Catalog.java -nt "$home/classes/Catalog.class" ]; then
    mkdir -p "$home/classes"
    javac -cp "$home/lib/*" -d "$home/classes" e2e/iceberg/Catalog.java
fi
[ "${1:-}" = --fetch ] && exit 0
if [ ! -x "$PINTAIL_CACHE/bin/weed" ]; then
    echo "skip iceberg: there is no S3 store for this platform"
    exit 0
fi
cargo test --locked -p pintail-worker --test it -- iceberg::
