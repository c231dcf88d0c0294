#!/usr/bin/env bash
# Guess: DuckDB's `read_json` keeps strings of a JSON file that are not ISO dates: ids as written, "05-06-2024" as text.
# Happens (duckdb 2.0.1): a column whose strings look like UUIDs becomes UUID, which is written back in lower case.
#   "05-06-2024" becomes the date June 5, and the same with slashes stays text. "10:30" becomes a TIME of 10:30:00.
# Why it matters: ids of vendors in upper case no longer equal those in another table or in the API, so joins lose rows;
#   US dates up to the 12th swap day and month in silence. `auto_detect` has to be off, or `columns` given.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1
cat > probe.py <<'PY'
import json
import sys

import duckdb

rows = [
    {"id": "550E8400-E29B-41D4-A716-446655440000", "due": "05-06-2024", "slash": "05/06/2024", "at": "10:30"},
    {"id": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "due": "07-06-2024", "slash": "07/06/2024", "at": "11:00"},
]
with open("rows.json", "w") as file:
    file.write("\n".join(json.dumps(row) for row in rows))
relation = duckdb.sql("from read_json('rows.json')")
types = dict(zip(relation.columns, map(str, relation.types)))
first = json.loads(duckdb.sql("select to_json(r) from read_json('rows.json') r").fetchall()[0][0])
print("duckdb", duckdb.__version__, types)
print("written", rows[0])
print("read   ", first)
expected = {"id": rows[0]["id"].lower(), "due": "2024-06-05", "slash": "05/06/2024", "at": "10:30:00"}
sys.exit(first != expected)
PY
venv/bin/python probe.py
