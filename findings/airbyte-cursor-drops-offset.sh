#!/usr/bin/env bash
# Guess: a connector whose records have `updated_at: 2024-01-02T03:04:05+02:00` and whose `datetime_format` ends in a
#   literal Z saves the cursor 01:04:05Z, as the CDK knows the offset (`cursor_datetime_formats` with `%z`).
# Happens (airbyte-cdk 7.39.1): the offset is read, and dropped when the cursor is written: it becomes 03:04:05Z. The
#   same instant gives two cursors, by the offset in which the vendor writes it.
# Why it matters: east of Greenwich the saved cursor is hours in the future. The next run asks for what changed after
#   it, and what changed in those hours is never read; west of it, hours are read again. With `%z` in
#   `datetime_format` the offset is kept.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet airbyte-cdk==7.39.1
cat > probe.py <<'PY'
from airbyte_cdk.sources.streams.concurrent.state_converters.datetime_stream_state_converter import (
    CustomFormatConcurrentStreamStateConverter,
)

converter = CustomFormatConcurrentStreamStateConverter(
    datetime_format="%Y-%m-%dT%H:%M:%SZ", input_datetime_formats=["%Y-%m-%dT%H:%M:%S%z"], is_sequential_state=True
)
times = ["2024-01-02T03:04:05+02:00", "2024-01-02T01:04:05Z", "2024-01-01T20:04:05-05:00"]
values = [converter.parse_value(time) for time in times]
saved = [converter.output_format(value) for value in values]
print("airbyte-cdk 7.39.1:", dict(zip(times, saved)))
assert values[0] == values[1] == values[2]
kept = CustomFormatConcurrentStreamStateConverter(datetime_format="%Y-%m-%dT%H:%M:%S%z", is_sequential_state=True)
assert kept.output_format(kept.parse_value(times[0])) == "2024-01-02T03:04:05+0200"
assert saved == ["2024-01-02T03:04:05Z", "2024-01-02T01:04:05Z", "2024-01-01T20:04:05Z"]
PY
venv/bin/python probe.py
