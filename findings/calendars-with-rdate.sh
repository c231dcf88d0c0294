#!/usr/bin/env bash
# Guess: both calendar libraries of npm expand an event with `RDATE` to its start and the dates that RDATE adds.
# Happens: node-ical 0.26.1 ignores RDATE, so only the start is left. ical.js 2.2.1 returns the added dates and leaves
#   out the start, which RFC 5545 (3.8.5.2, 3.8.2.4) counts as the first instance; with an RRULE next to RDATE, it is
#   right.
# Why it matters: appointments on irregular days (shifts, courses, treatment plans) are written with RDATE alone. A
#   replica loses all but the first, or just the first.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-ical@0.26.1 ical.js@2.2.1
cat > probe.mjs <<'JS'
import ICAL from 'ical.js';
import nodeIcal from 'node-ical';

const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//x//x//EN', 'BEGIN:VEVENT', 'UID:1'];
const times = ['DTSTAMP:20240101T000000Z', 'DTSTART:20240308T090000Z', 'RDATE:20240401T090000Z,20240402T090000Z'];
const calendar = [...lines, ...times, 'DURATION:PT1H', 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');

const event = Object.values(nodeIcal.sync.parseICS(calendar)).find((entry) => entry.type === 'VEVENT');
const range = { from: new Date('2024-01-01'), to: new Date('2024-12-31') };
const expanded = nodeIcal.expandRecurringEvent(event, range).map((entry) => entry.start.toISOString().slice(0, 10));

const iterated = [];
const iterator = new ICAL.Event(new ICAL.Component(ICAL.parse(calendar)).getFirstSubcomponent('vevent')).iterator();
for (let time = iterator.next(); time; time = iterator.next()) iterated.push(time.toString().slice(0, 10));

console.log('node-ical 0.26.1:', expanded.join(' '), '| ical.js 2.2.1:', iterated.join(' '));
if (expanded.join(' ') !== '2024-03-08' || iterated.join(' ') !== '2024-04-01 2024-04-02') process.exit(1);
JS
TZ=UTC node probe.mjs
