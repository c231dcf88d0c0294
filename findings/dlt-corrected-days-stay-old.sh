#!/usr/bin/env bash
# Guess: a dlt resource with `write_disposition="merge"`, a primary key and an incremental cursor on a day takes over rows
#   of the newest day that are larger in the next run: the day is read again, and merging replaces the row.
# Happens (dlt 1.31.0): rows at the last cursor value whose primary key was seen before are dropped before the merge,
#   whatever else they contain. Other keys of that day arrive, so that the day looks loaded. After a later day has been
#   read, the row keeps the value of the first run for good.
# Why it matters: reports by day (Analytics), and all APIs whose "updated at" has whole seconds or days, change under the
#   same cursor value. Set `lag`, or omit the primary key from the incremental with `primary_key=()`; a run without an error
#   shows nothing.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'dlt[duckdb]==1.31.0' duckdb==2.0.1
cat > probe.py <<'PY'
import sys

import dlt

rows = []
cursors = {"default": {}, "primary_key=()": {"primary_key": ()}, "lag=1": {"lag": 1}}


def run(pipeline, cursor, *new):
    @dlt.resource(name="sessions", primary_key=("day", "channel"), write_disposition="merge")
    def sessions(day=dlt.sources.incremental("day", **cursor)):
        yield [dict(zip(("day", "channel", "count"), row)) for row in new]

    pipeline.run(sessions())


stored = {}
for number, (name, cursor) in enumerate(cursors.items()):
    database = dlt.destinations.duckdb(f"{number}.duckdb")
    pipeline = dlt.pipeline(f"p{number}", destination=database, dataset_name="d", pipelines_dir="state")
    run(pipeline, cursor, ("2026-11-28", "web", 1))
    run(pipeline, cursor, ("2026-11-28", "web", 9), ("2026-11-28", "mail", 2))
    run(pipeline, cursor, ("2026-11-28", "web", 12), ("2026-11-29", "web", 1))
    with pipeline.sql_client() as client:
        stored[name] = client.execute_sql("select day, channel, count from sessions order by 1, 2")
print("dlt", dlt.__version__)
for name, found in stored.items():
    print(f"{name}: {found}")
sys.exit(("2026-11-28", "web", 1) not in stored["default"])
PY
venv/bin/python probe.py
