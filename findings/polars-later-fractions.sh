#!/usr/bin/env bash
# Guess: Polars raises, or widens the column to a float, when a fraction follows many whole numbers in a list of
#   records.
# Happens (polars 2.1.0): `DataFrame` and `from_dicts` take the type from the first 100 records. A fraction after them
#   is cut to the whole number, and a field that first appears after them is left out. Neither is an error, although
#   `strict` is on.
# Why it matters: amounts of an API are whole until the first that is not. The total of a page of 200 records is wrong.
#   `infer_schema_length=None` reads all records.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check polars==2.1.0
cat > probe.py <<'PY'
import sys

import polars

records = [{"amount": 10}] * 100 + [{"amount": 0.75, "currency": "EUR"}] * 100
frame = polars.from_dicts(records)
full = polars.from_dicts(records, infer_schema_length=None)
print("polars", polars.__version__, "columns", frame.columns, "sum", frame["amount"].sum())
print("with infer_schema_length=None: columns", full.columns, "sum", full["amount"].sum())
sys.exit(frame.columns != ["amount"] or frame["amount"].sum() != 1000 or full["amount"].sum() != 1075)
PY
venv/bin/python probe.py
