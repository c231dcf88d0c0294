#!/usr/bin/env bash
# Guess: `dlt.sources.incremental("updated")` compares ISO 8601 timestamps as instants: a record changed half a second
#   after the last one is loaded, and one changed half an hour before it, written with another offset, is not.
# Happens (dlt 1.31.0): timestamps are compared as text. "10:00:00.500Z" counts as older than "10:00:00Z" and is dropped
#   for good; "11:30:00+02:00" counts as newer than "10:00:00Z" and is loaded.
# Why it matters: many APIs (those written in Go, for instance) leave out a fraction that is zero, and some answer with the
#   offset of a user. Changes are then missing in the destination, and the load says that it succeeded.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "dlt[filesystem]==1.31.0"
export RUNTIME__DLTHUB_TELEMETRY=false RUNTIME__LOG_LEVEL=ERROR
cat > probe.py <<'PY'
import gzip
import json
import pathlib
import sys

import dlt


def loaded(name, later):
    """Ids in the destination after a first run with a record of 10:00:00Z and a second one with another record."""
    destination = dlt.destinations.filesystem(pathlib.Path(name).absolute().as_uri())
    pipeline = dlt.pipeline(name, destination=destination, dataset_name="data", pipelines_dir=f"{name}-state")
    for record in ({"id": 1, "updated": "2024-05-01T10:00:00Z"}, {"id": 2, "updated": later}):

        @dlt.resource(name="records")
        def records(updated=dlt.sources.incremental("updated")):
            yield record

        pipeline.run(records(), loader_file_format="jsonl").raise_on_failed_jobs()
    files = sorted(pathlib.Path(name, "data", "records").glob("*.jsonl*"))
    return sorted(json.loads(line)["id"] for file in files for line in text(file).splitlines())


def text(file):
    return (gzip.open(file, "rt") if file.suffix == ".gz" else file.open()).read()


half_second_later = loaded("later", "2024-05-01T10:00:00.500Z")
half_hour_earlier = loaded("earlier", "2024-05-01T11:30:00+02:00")
print("dlt", dlt.__version__, "later by .5 s:", half_second_later, "earlier by 30 min:", half_hour_earlier)
sys.exit(half_second_later != [1] or half_hour_earlier != [1, 2])
PY
venv/bin/python probe.py
