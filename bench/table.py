#!/usr/bin/env python3
"""Medians of three rounds, PostgreSQL beside Pintail, as a Markdown table. Usage: table.py RESULTS.jsonl"""
import collections
import json
import statistics
import sys

# measure: (field, unit, whether more is better)
FIELDS = {
    "select1": ("p50_us", "µs", False), "simple1": ("p50_us", "µs", False), "small": ("p50_us", "µs", False), "agg": ("p50_us", "µs", False),
    "connect": ("p50_ms", "ms", False), "pipeline": ("stmts_per_s", "statements/s", True), "read_text": ("rows_per_s", "rows/s", True),
    "read_binary": ("rows_per_s", "rows/s", True), "copy_text": ("rows_per_s", "rows/s", True), "copy_csv": ("rows_per_s", "rows/s", True),
    "copy_binary": ("rows_per_s", "rows/s", True), "copy_in": ("rows_per_s", "rows/s", True),
}
found = collections.defaultdict(list)
for line in open(sys.argv[1], encoding="utf-8"):
    row = json.loads(line)
    if "error" in row:
        print(f"{row['server']} {row['measure']}: {row['error']}", file=sys.stderr)
        continue
    field = FIELDS[row["measure"]][0]
    found[row["measure"], row["server"]].append(row[field])
print("| measure | PostgreSQL 15 | Pintail | ratio |\n|---|---|---|---|")
for measure, (_, unit, _more) in FIELDS.items():
    theirs, ours = found.get((measure, "postgres")), found.get((measure, "pintail"))
    if theirs and ours:
        theirs, ours = statistics.median(theirs), statistics.median(ours)
        print(f"| {measure} | {theirs:,} {unit} | {ours:,} {unit} | {ours / theirs:.2f} |")
