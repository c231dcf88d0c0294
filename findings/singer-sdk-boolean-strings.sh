#!/usr/bin/env bash
# Guess: the Singer SDK leaves the string "false" in a property of type boolean as it is, or makes it False.
# Happens (singer-sdk 0.54.9): it is compared with 0, so "false", "0", "no" and "" all become True, also in objects and
#   lists. Integers and numbers that arrive as strings stay strings. There is no warning.
# Why it matters: APIs over CSV or forms reply with "false". A tap loads every flag (archived, opted out) as true, and
#   the target cannot tell, since the type is right.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check singer-sdk==0.54.9
cat > probe.py <<'PY'
import sys
from importlib.metadata import version

import singer_sdk.typing as th
from singer_sdk import Stream, Tap


class Contacts(Stream):
    name = "contacts"
    schema = th.PropertiesList(
        th.Property("id", th.IntegerType), th.Property("archived", th.BooleanType), th.Property("age", th.IntegerType)
    ).to_dict()

    def get_records(self, context):
        for at, value in enumerate(["false", "0", "", 0, False]):
            yield {"id": at, "archived": value, "age": "41"}


class Probe(Tap):
    name = "tap-probe"
    config_jsonschema = th.PropertiesList().to_dict()

    def discover_streams(self):
        return [Contacts(self)]

    def write_message(self, message):
        if message.to_dict()["type"] == "RECORD":
            records.append(message.to_dict()["record"])


records = []
Probe().sync_all()
print("singer-sdk", version("singer-sdk"), records)
sys.exit([record["archived"] for record in records] != [True, True, True, False, False] or records[0]["age"] != "41")
PY
venv/bin/python probe.py 2> errors.log | grep -v STATE || { cat errors.log; exit 1; }
