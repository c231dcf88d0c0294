#!/usr/bin/env bash
# Guess: `rrulestr` of the rrule package reads the start of an all-day series, `DTSTART;VALUE=DATE:20240309`.
# Happens (rrule 2.8.1): it reads `DTSTART` with a time zone or without parameters. With `VALUE`, it ignores the line without
#   an error, and the series starts at the time of parsing: each run returns other dates. `rrule-temporal` 2.2.8 reads it.
# Why it matters: all-day series in calendar files are written in this way. Holidays and birthdays move to today with every
#   sync, and each sync finds changes in all of them.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund rrule@2.8.1 rrule-temporal@2.2.8
cat > probe.mjs <<'JS'
import rrule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';

const today = new Date().toISOString().slice(0, 10);
const found = {};
for (const start of ['DTSTART:20240309', 'DTSTART;VALUE=DATE:20240309', 'DTSTART;VALUE=DATE-TIME:20240309T000000Z']) {
  const rule = `${start}\nRRULE:FREQ=DAILY;COUNT=2`;
  const dates = rrule.rrulestr(rule).all();
  found[start] = dates.map((date) => date.toISOString().slice(0, 10));
  const other = new RRuleTemporal({ rruleString: rule }).all().map((date) => date.toString().slice(0, 10));
  console.log(start, '| rrule 2.8.1:', found[start].join(' '), '| rrule-temporal 2.2.8:', other.join(' '));
  if (other.join(' ') !== '2024-03-09 2024-03-10') process.exit(1);
}
const starts = Object.values(found).map(([first]) => first === '2024-03-09' ? 'right' : first >= today ? 'now' : first);
process.exit(starts.join(' ') === 'right now now' ? 0 : 1);
JS
TZ=UTC node probe.mjs
