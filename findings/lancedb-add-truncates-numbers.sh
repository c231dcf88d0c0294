#!/usr/bin/env bash
# Guess: a LanceDB table whose first records have whole prices has an integer column; adding 12.5 fails, or widens the column.
# Happens (lancedb 0.40.0): `add` and `update` store 12, without an error; -0.9 becomes 0. `merge_insert` refuses the same record: "Float value 12.500000 was truncated".
# Why it matters: the type of a column comes from the first batch, in which prices, scores and hours are often whole. A
#   replica that inserts with `add` loses all fractions; one that updates with `merge_insert` fails on them.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check lancedb==0.40.0
cat > probe.py <<'PY'
import sys

import lancedb

table = lancedb.connect("data").create_table("products", [{"id": "a", "price": 12}])
table.add([{"id": "b", "price": 12.5}, {"id": "c", "price": -0.9}])
table.update(where="id = 'a'", values={"price": 99.99})
try:
    table.merge_insert("id").when_matched_update_all().execute([{"id": "b", "price": 12.5}])
    merged = "stored"
except Exception as error:
    merged = "was truncated" in str(error)
rows = {row["id"]: row["price"] for row in table.search().to_list()}
print("lancedb", lancedb.__version__, rows, "merge_insert refuses:", merged)
sys.exit(rows != {"a": 99, "b": 12, "c": 0} or merged is not True)
PY
venv/bin/python -W ignore probe.py 2> log.txt || { cat log.txt; exit 1; }
