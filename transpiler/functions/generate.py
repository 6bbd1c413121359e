#!/usr/bin/env python3
"""Write ../src/rules/gate/functions.rs: every function of the engine, its extensions and the installed catalogs, judged.

Asks the engine (the Python package duckdb, of the version that Pintail links) for duckdb_functions() with the extensions of
$PINTAIL_EXTENSION_DIR loaded; reads judged.txt, postgresql.txt and the macros of libs/pgcatalog. Fails where a table
function is not judged.
"""
import fnmatch
import os
import pathlib
import re
import sys

import duckdb

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "src/rules/gate/functions.rs"
MACROS = HERE.parent.parent / "libs/pgcatalog/sql"
VERSION = "v1.5.5"
TABLE_KINDS = {"table", "table_macro", "pragma"}
IN_FROM = {"table", "table_macro"}


def engine():
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    version = connection.execute("SELECT version()").fetchone()[0]
    if version != VERSION:
        sys.exit(f"duckdb is {version}, not {VERSION}")
    for extension in sorted(pathlib.Path(os.environ["PINTAIL_EXTENSION_DIR"]).rglob("*.duckdb_extension")):
        connection.execute(f"LOAD '{extension}'")
    functions = connection.execute("SELECT DISTINCT function_name, function_type FROM duckdb_functions()").fetchall()
    keywords = connection.execute("SELECT DISTINCT keyword_name FROM duckdb_keywords()").fetchall()
    types = connection.execute("SELECT DISTINCT type_name FROM duckdb_types()").fetchall()
    return functions, {name for (name,) in keywords} | {name.lower() for (name,) in types}


def installed():
    for file in sorted(MACROS.rglob("*.sql")):
        for match in re.finditer(r"MACRO __pintail\.pg\.(\w+)\s*\([^)]*\) AS( TABLE)?", file.read_text()):
            yield match[1], "table_macro" if match[2] else "macro"


def lines(name):
    for line in (HERE / name).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.split(None, 2)


def main():
    judged = [(name, verdict) for verdict, name, _ in lines("judged.txt")]
    own = {name for name, kind in installed() if not name.startswith("_") or name == "_pg_expandarray"}
    functions, words = engine()
    known = {}
    for name, kind in functions:
        if re.fullmatch(r"\w+", name):
            known.setdefault(name.lower(), set()).add(kind)
    verdicts, unjudged = {}, []
    for name, kinds in known.items():
        found = [verdict for pattern, verdict in judged if fnmatch.fnmatchcase(name, pattern)]
        if not found and kinds == {"pragma"}:
            continue  # the statement PRAGMA is refused as a whole
        if not found and (kinds & IN_FROM or not kinds - TABLE_KINDS):
            unjudged.append(name)
        verdicts[name] = found[0] if found else "everyone"
    if unjudged:
        sys.exit(f"judged.txt says nothing of {', '.join(sorted(unjudged))}")
    for name in own | {name for (name,) in lines("postgresql.txt")}:
        verdicts.setdefault(name, "everyone")
    for pattern, verdict in judged:
        if "*" not in pattern:
            verdicts[pattern] = verdict
    prefixes = sorted(pattern[:-1] for pattern, verdict in judged if pattern.endswith("*") and verdict == "nobody")
    by = lambda wanted: sorted(name for name, verdict in verdicts.items() if verdict == wanted)
    refused = [name for name in by("nobody") if not any(name.startswith(prefix) for prefix in prefixes)]
    out = [
        "// @generated",
        "//! Functions of the engine, of its extensions and of the installed catalogs, judged; written by",
        "//! `functions/generate.py`.",
        "",
    ]
    tables = [
        ("EVERYONE", "Every login may call these, in expressions and in FROM.", by("everyone")),
        ("EXPRESSIONS", "Every login may call these in expressions, nobody in FROM.", by("expressions")),
        ("OWNERS", "A login without restrictions may call these too.", by("owners")),
        ("FILES", "And these, which read the files that their arguments name.", by("files")),
        ("NAMES", "And these, which describe the relation that their argument names.", by("names")),
        ("REFUSED", "Nobody may call these.", refused),
        ("REFUSED_PREFIXES", "Nobody may call what begins so.", prefixes),
        ("WORDS", "The engine's keywords and types, which stand before parentheses without being called.",
         sorted(words - set(refused))),
    ]
    for name, doc, values in tables:
        out += [f"/// {doc}", f"pub(super) const {name}: &[&str] = &["]
        out += [f'    "{value}",' for value in values]
        out += ["];", ""]
    OUT.write_text("\n".join(out).rstrip() + "\n")


main()
