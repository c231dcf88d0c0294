#!/usr/bin/env bash
# Guess: dlt keeps both fields, with a suffix, or raises, when a record has `userId` and `user_id`, since both become
#   the column `user_id`.
# Happens (dlt 1.31.0): the later field of each record wins and the other is gone, without a warning; the order of the
#   keys decides for each record. Of a nested `owner.id` and a flat `owner__id`, the nested one wins in either order.
# Why it matters: APIs that change their names reply with both spellings for years, and CRMs have custom fields next to
#   built-in ones. One column then mixes two fields.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "dlt[duckdb]==1.31.0" duckdb==2.0.1
cat > probe.py <<'PY'
import sys

import dlt

rows = [
    {"id": 1, "userId": "new", "user_id": "old", "owner": {"id": "nested"}, "owner__id": "flat"},
    {"id": 2, "user_id": "old", "userId": "new", "owner__id": "flat", "owner": {"id": "nested"}},
]
destination = dlt.destinations.duckdb("probe.db")
pipeline = dlt.pipeline("probe", pipelines_dir="state", destination=destination, dataset_name="data")
pipeline.run(rows, table_name="records")
with pipeline.sql_client() as client:
    loaded = client.execute_sql("select id, user_id, owner__id from records order by id")
columns = [name for name in pipeline.default_schema.tables["records"]["columns"] if not name.startswith("_dlt")]
print("dlt", dlt.__version__, "columns", columns, "rows", loaded)
sys.exit(columns != ["id", "user_id", "owner__id"] or loaded != [(1, "old", "nested"), (2, "new", "nested")])
PY
RUNTIME__DLTHUB_TELEMETRY=false venv/bin/python probe.py
