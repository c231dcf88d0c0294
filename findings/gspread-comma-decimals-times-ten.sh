#!/usr/bin/env bash
# Guess: `get_all_records` of gspread returns numbers of a German spreadsheet as numbers, or as the text that is shown.
# Happens (gspread 6.2.1): it reads the text that is shown and removes commas before converting it, so "1,5" is 15 and
#   "19,99" is 1999 and "1.234,56" is 1.23456. A person called "Nan" is a float that is not equal to itself.
# Why it matters: prices and hours of most of Europe are ten or a hundred times too high in the replica, in the same
#   column as correct whole numbers. `value_render_option="UNFORMATTED_VALUE"` or `numericise_ignore=["all"]` avoids it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet gspread==6.2.1
cat > probe.py <<'PY'
from types import SimpleNamespace

import gspread

rows = [["name", "hours"], ["Anna", "1,5"], ["Nan", "19,99"], ["Ben", "1.234,56"], ["Cem", "8"]]
metadata = {"sheets": [{"properties": {"sheetId": 0, "title": "Hours", "index": 0}}], "properties": {"locale": "de_DE"}}


class Replies(gspread.HTTPClient):
    """What the API returns for a spreadsheet with the locale de_DE and the default rendering."""

    def request(self, method, endpoint, **options):
        body = {"range": "Hours", "majorDimension": "ROWS", "values": rows} if "/values" in endpoint else metadata
        return SimpleNamespace(json=lambda: body, ok=True)


client = gspread.Client(auth=None, session=SimpleNamespace(), http_client=Replies)
records = client.open_by_key("key").sheet1.get_all_records()
hours = [record["hours"] for record in records]
print("gspread 6.2.1:", [record["name"] for record in records], hours)
assert hours == [15, 1999, 1.23456, 8] and records[1]["name"] != records[1]["name"]
PY
venv/bin/python probe.py
