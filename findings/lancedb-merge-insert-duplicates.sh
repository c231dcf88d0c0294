#!/usr/bin/env bash
# Guess: `merge_insert("id")` of LanceDB, used as an upsert, leaves one row per id, or raises when a batch has an id
#   twice.
# Happens (lancedb 0.40.0): two new rows with the same id in a batch are both inserted, and a later upsert of that id
#   writes the new text to both rows, so the id stays twice.
# Why it matters: a page of an API may have a record twice (it changed while it was paged). The index then returns the
#   stale copy next to the new one, and counts it twice for good.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check lancedb==0.40.0 pyarrow==26.0.1
cat > probe.py <<'PY'
import sys
from importlib.metadata import version

import lancedb

table = lancedb.connect("data").create_table("records", [{"id": 1, "text": "first"}])


def upsert(rows):
    table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)
    return sorted((row["id"], row["text"]) for row in table.to_arrow().to_pylist())


after_page = upsert([{"id": 2, "text": "stale"}, {"id": 2, "text": "new"}])
after_update = upsert([{"id": 2, "text": "newest"}])
print("lancedb", version("lancedb"), "after a page", after_page, "after an update", after_update)
expected_page = [(1, "first"), (2, "new"), (2, "stale")]
expected_update = [(1, "first"), (2, "newest"), (2, "newest")]
sys.exit(after_page != expected_page or after_update != expected_update)
PY
venv/bin/python probe.py
