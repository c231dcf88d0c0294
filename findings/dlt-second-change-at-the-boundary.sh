#!/usr/bin/env bash
# Guess: with a primary key, `dlt.sources.incremental` reads records of the last timestamp again and loads those whose
#   content has changed since the run before.
# Happens (dlt 1.31.0): with `primary_key`, a record seen at the last timestamp is dropped by its key alone, so a second
#   change within the same second never arrives. Without the key, rows are compared whole, and it does.
# Why it matters: APIs with timestamps in seconds return a record changed twice in a second with the same timestamp. Naming
#   the key, as the guides advise for merges, loses the second change; no later run repeats it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "dlt[filesystem]==1.31.0"
export RUNTIME__DLTHUB_TELEMETRY=false RUNTIME__LOG_LEVEL=ERROR
cat > probe.py <<'PY'
import sys

import dlt


def arrivals(name, **key):
    """States that each of two runs hands on, for a record that changes twice in a second."""
    pipeline = dlt.pipeline(name, destination=dlt.destinations.filesystem("out"), pipelines_dir=f"{name}-state")
    runs = []
    for state in ("open", "done"):

        @dlt.resource(name="records", primary_key="id")
        def records(updated=dlt.sources.incremental("updated", **key)):
            yield {"id": 1, "updated": "2024-05-01T10:00:00Z", "state": state}

        pipeline.extract(records())
        normalized = pipeline.normalize()
        runs.append((normalized.row_counts if normalized else {}).get("records", 0))
    return runs


with_key = arrivals("keyed", primary_key="id")
without_key = arrivals("whole", primary_key=())
print("dlt", dlt.__version__, "rows a run, by key:", with_key, "rows a run, compared whole:", without_key)
sys.exit(with_key != [1, 0] or without_key != [1, 1])
PY
venv/bin/python probe.py
