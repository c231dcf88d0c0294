#!/usr/bin/env bash
# Guess: an event on January 31 with `FREQ=MONTHLY` skips months without a 31st, as RFC 5545 (3.3.10) says.
# Happens (node-ical 0.26.1): February gets the 29th (or 28th), and all later months keep that day: January 31, February
#   29, March 29. ical.js 2.2.1 returns January 31, March 31, May 31.
# Why it matters: monthly reviews and payment days move, from the first short month on, and a replica of a calendar
#   shows meetings on days on which there are none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-ical@0.26.1 ical.js@2.2.1
cat > probe.mjs <<'JS'
import ICAL from 'ical.js';
import nodeIcal from 'node-ical';

const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//x//x//EN', 'BEGIN:VEVENT', 'UID:1'];
const times = ['DTSTAMP:20240101T000000Z', 'DTSTART:20240131T090000Z', 'RRULE:FREQ=MONTHLY;COUNT=3'];
const calendar = [...lines, ...times, 'DURATION:PT1H', 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');

const event = Object.values(nodeIcal.sync.parseICS(calendar)).find((entry) => entry.type === 'VEVENT');
const range = { from: new Date('2024-01-01'), to: new Date('2025-12-31') };
const expanded = nodeIcal.expandRecurringEvent(event, range).map((entry) => entry.start.toISOString().slice(0, 10));

const reference = [];
const iterator = new ICAL.Event(new ICAL.Component(ICAL.parse(calendar)).getFirstSubcomponent('vevent')).iterator();
for (let time = iterator.next(); time; time = iterator.next()) reference.push(time.toString().slice(0, 10));

console.log('node-ical 0.26.1', expanded.join(' '), '| ical.js 2.2.1', reference.join(' '));
if (expanded.join(' ') !== '2024-01-31 2024-02-29 2024-03-29') process.exit(1);
if (reference.join(' ') !== '2024-01-31 2024-03-31 2024-05-31') process.exit(1);
JS
TZ=UTC node probe.mjs
