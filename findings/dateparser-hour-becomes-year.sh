#!/usr/bin/env bash
# Guess: dateparser reads "15. Mai um 14 Uhr", "15 de mayo a las 10" and "May 15 at 10" as May 15 of this year, at that
#   hour.
# Happens (dateparser 1.5.0): the hour becomes the year: May 15, 2014 and 2010, at midnight; `languages` does not change
#   it. "morgen um 10 Uhr" (tomorrow at 10) is tomorrow at the present time. "15 mai à 10h" and "May 15 at 10am" are read
#   right.
# Why it matters: whole hours without "am" or minutes are how many languages write an appointment. It lands years in the
#   past, where neither a reminder nor a search for coming dates finds it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check dateparser==1.5.0
cat > probe.py <<'PY'
import sys
from datetime import datetime
from importlib.metadata import version

import dateparser

cases = {
    ("15. Mai um 14 Uhr", "de"): "2014-05-15 00:00",
    ("15 de mayo a las 10", "es"): "2010-05-15 00:00",
    ("15 maggio alle 10", "it"): "2010-05-15 00:00",
    ("15 мая в 10 часов", "ru"): "2010-05-15 00:00",
    ("May 15 at 10", "en"): "2010-05-15 00:00",
    ("May 15 at 10am", "en"): "2024-05-15 10:00",
    ("15 mai à 10h", "fr"): "2024-05-15 10:00",
    ("morgen um 10 Uhr", "de"): "2024-05-16 08:00",
}
same = True
print("dateparser", version("dateparser"), "on 2024-05-15")
for (text, language), expected in cases.items():
    now = {"RELATIVE_BASE": datetime(2024, 5, 15, 8)}
    seen = dateparser.parse(text, languages=[language], settings=now).strftime("%Y-%m-%d %H:%M")
    print(f"{text:22} {seen}")
    same = same and seen == expected
sys.exit(not same)
PY
venv/bin/python -W ignore probe.py
