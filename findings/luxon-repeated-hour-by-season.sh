#!/usr/bin/env bash
# Guess: a local time that occurs twice when clocks go back is read as the first of both, or always as the same.
# Happens (luxon 3.7.2, date-fns-tz 3.2.0): luxon starts from the offset that the zone has *today*, so 02:30 in Berlin on
#   2024-10-27 is 00:30 UTC when it is read in July and 01:30 UTC in January. `fromZonedTime` of date-fns-tz depends on
#   the zone of the process: 01:30 UTC with TZ=UTC, 00:30 UTC with TZ=America/New_York. Neither asks for a choice.
#   Temporal takes the first one by definition ("compatible").
# Why it matters: a replica that reads local times again half a year later, or on another machine, sees records change
#   by an hour although the source did not.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund luxon@3.7.2 date-fns-tz@3.2.0 date-fns@4.4.0 temporal-polyfill@1.0.8
cat > probe.mjs <<'JS'
import { fromZonedTime } from 'date-fns-tz';
import { DateTime, Settings } from 'luxon';
import { Temporal } from 'temporal-polyfill';

const [local, zone] = ['2024-10-27T02:30', 'Europe/Berlin'];
const inLuxon = (today) => {
  Settings.now = () => Date.parse(today);
  return DateTime.fromISO(local, { zone }).toUTC().toFormat('HH:mm');
};
const seen = {
  luxonInJanuary: inLuxon('2024-01-15'),
  luxonInJuly: inLuxon('2024-07-15'),
  dateFns: fromZonedTime(local, zone).toISOString().slice(11, 16),
  temporal: Temporal.PlainDateTime.from(local).toZonedDateTime(zone).toInstant().toString().slice(11, 16),
};
console.log(`TZ=${process.env.TZ}:`, seen);
const expected = ['01:30', '00:30', process.argv[2], '00:30'];
if (Object.values(seen).join() !== expected.join()) process.exit(1);
JS
echo "luxon 3.7.2, date-fns-tz 3.2.0, temporal-polyfill 1.0.8: $(node -v), 2024-10-27 02:30 in Berlin in UTC"
TZ=UTC node probe.mjs 01:30
TZ=America/New_York node probe.mjs 00:30
