#!/usr/bin/env bash
# Guess: icalevents leaves out exactly the appointment that `EXDATE` names.
# Happens (icalevents 0.3.1): it leaves out all appointments of the series on that day, in UTC. Of a series at 9:00 and 15:00
#   whose 9:00 is cancelled, 15:00 is missing, too. Of one at midnight in Berlin, cancelling July 2 (EXDATE in UTC:
#   July 1, 22:00) also removes July 1. recurring-ical-events 3.8.2 is right.
# Why it matters: doses, shifts and lessons recur several times a day, and servers write EXDATE in UTC. A replica or an agent
#   that reminds of appointments misses those that take place.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check icalevents==0.3.1 recurring-ical-events==3.8.2
cat > probe.py <<'PY'
import sys
from datetime import datetime, timezone

import icalendar
import recurring_ical_events
from icalevents.icalevents import events

start, end = datetime(2024, 1, 1, tzinfo=timezone.utc), datetime(2025, 1, 1, tzinfo=timezone.utc)
series = {
    "twice a day": ["DTSTART:20240101T090000Z", "RRULE:FREQ=DAILY;BYHOUR=9,15;COUNT=4", "EXDATE:20240102T090000Z"],
    "midnight": ["DTSTART;TZID=Europe/Berlin:20240701T000000", "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20240701T220000Z"],
}


def utc(event):
    return f"{event.start.astimezone(timezone.utc):%m-%dT%H}"


def times(lines):
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//x//EN", "BEGIN:VEVENT", "UID:1", "DTSTAMP:20240101T000000Z"]
    text = "\r\n".join([*head, *lines, "DURATION:PT1H", "END:VEVENT", "END:VCALENDAR", ""])
    other = recurring_ical_events.of(icalendar.Calendar.from_ical(text)).between(start, end)
    return [
        [utc(event) for event in sorted(events(string_content=text, start=start, end=end))],
        [utc(event) for event in other],
    ]


found = {name: times(lines) for name, lines in series.items()}
for name, (first, second) in found.items():
    print(f"{name}: icalevents 0.3.1 {first}, recurring-ical-events 3.8.2 {second}")
expected = {
    "twice a day": [["01-01T09", "01-01T15"], ["01-01T09", "01-01T15", "01-02T15"]],
    "midnight": [["07-02T22"], ["06-30T22", "07-02T22"]],
}
sys.exit(found != expected)
PY
venv/bin/python -W ignore probe.py
